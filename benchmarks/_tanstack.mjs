// The same operations on TanStack's query-core, in one process's memory. Prints JSON: operation -> rows -> µs.
import { QueryClient } from '@tanstack/query-core'

const PAGE = 20
const row = (number) => ({
  id: `c${number}`, name: `Client number ${number}`, email: `client${number}@example.com`,
  phone: '+47 12 34 56 78', city: 'Oslo', createdAt: '2026-01-01T12:00:00Z',
})

function best(run, { rounds = 15, calls = 50, beginRound = () => {} } = {}) {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    beginRound()
    const begin = process.hrtime.bigint()
    for (let call = 0; call < calls; call++) run(call)
    least = Math.min(least, Number(process.hrtime.bigint() - begin) / 1000 / calls)
  }
  return least
}

const flattened = (data) => {
  const seen = new Set()
  const items = []
  for (const page of data.pages) for (const item of page.items) {
    if (seen.has(item.id)) continue
    seen.add(item.id)
    items.push(item)
  }
  return items
}

const results = {}
for (const rows of [20, 200, 2000]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 300_000, gcTime: Infinity } } })
  const key = ['energy.get_clients', {}, 'paginated', PAGE, 'limit']
  const pages = Array.from({ length: rows / PAGE }, (_, page) => ({
    items: Array.from({ length: PAGE }, (_, index) => row(page * PAGE + index)), hasNext: true, nextCursor: `${page}`,
  }))
  // Every round begins with all rows, and each of its calls writes: one removes a row that is there.
  const writes = { calls: 8, beginRound: () => client.setQueryData(key, { pages, pageParams: pages.map((_, page) => page) }) }
  writes.beginRound()
  const change = (edit) => client.setQueryData(key, (data) => ({ ...data, pages: data.pages.map(edit) }))
  const read = () => client.getQueryData(key)
  const add = (results[rows] = {})
  add['hot read of the first page'] = best(() => read().pages[0].items)
  add['read of all pages, flat and unique'] = best(() => flattened(read()), { calls: 10 })
  add['remove a row, then read the first page'] = best((call) => {
    change((page) => ({ ...page, items: page.items.filter((item) => item.id !== `c${call}`) }))
    read().pages[0].items
  }, writes)
  add['add a row, then read the first page'] = best((call) => {
    change((page, index) => (index ? page : { ...page, items: [row(-1 - call), ...page.items] }))
    read().pages[0].items
  }, writes)
  add['merge a row, then read the first page'] = best((call) => {
    const changed = { ...row(5), name: `renamed ${call}` }
    change((page) => ({ ...page, items: page.items.map((item) => (item.id === changed.id ? changed : item)) }))
    read().pages[0].items
  }, writes)
}
console.log(JSON.stringify(results))
