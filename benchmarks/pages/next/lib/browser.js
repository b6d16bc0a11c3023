// The browser's calls: the tokens are HttpOnly, so they go through this server.
import { clientsPath } from './queries'

async function get(path) {
  const response = await fetch(`/api${path}`)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

export const fetchMe = () => get('/me')
export const fetchClients = (params, cursor) => get(clientsPath(params, cursor))
