import { HydrationBoundary, QueryClient, dehydrate } from '@tanstack/react-query'
import { cookies, headers } from 'next/headers'
import { ClientList } from '../../../../components/client-list'
import { Shell } from '../../../../components/shell'
import { get } from '../../../../lib/backend'
import { messagesOf } from '../../../../lib/messages'
import { SORTS, clientsKey, clientsPath, meKey } from '../../../../lib/queries'

export async function generateMetadata({ params }) {
  const t = messagesOf((await params).locale)
  return { title: `${t.clients} · ${t.energy}` }
}

const listParams = ({ q, sort }) => ({
  ...(q && { q: String(q).slice(0, 200) }),
  ...(SORTS.includes(sort) && sort !== SORTS[0] && { sort }),
})

export default async function Clients({ params, searchParams }) {
  const [{ locale }, query, sent, cookie] = await Promise.all([params, searchParams, headers(), cookies()])
  const account = { user: sent.get('x-user'), token: cookie.get('VAR_ACCESS_TOKEN').value }
  const pathname = sent.get('x-pathname')
  const wanted = listParams(query)
  const client = new QueryClient()
  await Promise.all([
    client.prefetchQuery({ queryKey: meKey(), queryFn: () => get('/me', account) }),
    client.prefetchInfiniteQuery({
      queryKey: clientsKey(wanted),
      queryFn: ({ pageParam }) => get(clientsPath(wanted, pageParam), account),
      initialPageParam: query.cursor ?? null,
    }),
  ])
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <Shell locale={locale} pathname={pathname}>
        <ClientList locale={locale} pathname={pathname} params={wanted} />
      </Shell>
    </HydrationBoundary>
  )
}
