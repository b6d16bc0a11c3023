// Calls to the backend, and what this process keeps of their answers: for each user, for five minutes.
import 'server-only'

const STALE_TIME_MS = 5 * 60 * 1000
const MOST_ENTRIES = 5000
const kept = new Map()

// One object for all requests of a process, also where modules are bundled twice.
const cache = (globalThis.portalCache ??= kept)

export async function get(path, { user, token }) {
  const key = `${user} ${path}`
  const entry = cache.get(key)
  if (entry && Date.now() - entry.at < STALE_TIME_MS) return entry.data
  const response = await fetch(process.env.APP_PUBLIC_API_BASE_URL + path, {
    headers: { Authorization: `Bearer ${token}` },
    cache: 'no-store',
  })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  const data = await response.json()
  if (cache.size >= MOST_ENTRIES) cache.delete(cache.keys().next().value)
  cache.set(key, { at: Date.now(), data })
  return data
}
