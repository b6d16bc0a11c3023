import { cookies, headers } from 'next/headers'
import { get } from '../../../lib/backend'

export async function GET(request) {
  const { pathname, search } = request.nextUrl
  const user = (await headers()).get('x-user')
  const token = (await cookies()).get('VAR_ACCESS_TOKEN')?.value
  return Response.json(await get(pathname.slice('/api'.length) + search, { user, token }))
}
