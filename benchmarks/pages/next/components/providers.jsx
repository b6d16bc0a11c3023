'use client'

import { QueryClient, QueryClientProvider, isServer } from '@tanstack/react-query'

const makeClient = () => new QueryClient({ defaultOptions: { queries: { staleTime: 5 * 60 * 1000, refetchOnWindowFocus: false } } })
let ofThisBrowser

export function Providers({ children }) {
  const client = isServer ? makeClient() : (ofThisBrowser ??= makeClient())
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
