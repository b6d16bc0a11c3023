// Query keys, the same on the server, which prefetches, and in the browser, which goes on from there.
export const PAGE_SIZE = 20
export const SORTS = ['-createdAt', 'createdAt', 'name', '-name']

export const meKey = () => ['iam.get_me', {}]
export const clientsKey = (params) => ['energy.get_clients', params, 'paginated', PAGE_SIZE, 'limit']

export function clientsPath({ q, sort }, cursor) {
  const params = new URLSearchParams({ limit: String(PAGE_SIZE) })
  if (q) params.set('q', q)
  if (sort) params.set('sort', sort)
  if (cursor) params.set('cursor', cursor)
  return `/energy/clients?${params}`
}
