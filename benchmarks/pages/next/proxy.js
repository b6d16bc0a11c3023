// Who the user is: every page but the sign-in page needs an access token that verifies.
import { jwtVerify } from 'jose'
import { NextResponse } from 'next/server'

const key = new TextEncoder().encode(process.env.APP_JWT_KEY)
const LOCALES = new Set(['en', 'de', 'tr'])

async function userOf(token) {
  if (!token) return null
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: 30 })
    return payload
  } catch {
    return null
  }
}

export async function proxy(request) {
  const { pathname, search } = request.nextUrl
  const [, locale, ...rest] = pathname.split('/')
  const isApi = locale === 'api'
  if (!isApi && !LOCALES.has(locale)) return NextResponse.redirect(new URL(`/en${pathname}`, request.url), 307)
  const user = await userOf(request.cookies.get('VAR_ACCESS_TOKEN')?.value)
  if (isApi && !user) return NextResponse.json({ status: 401 }, { status: 401 })
  const isPublic = rest[0] === 'login'
  if (isPublic && user) return NextResponse.redirect(new URL(`/${locale}/energy/clients`, request.url), 302)
  if (!isPublic && !user?.permissions?.includes('ENERGY_APP')) {
    const next = encodeURIComponent(pathname + search)
    return NextResponse.redirect(new URL(`/${locale}/login?next=${next}`, request.url), 302)
  }
  const headers = new Headers(request.headers)
  headers.set('x-pathname', pathname)
  // Never what the caller sent.
  headers.set('x-user', user?.sub ?? '')
  return NextResponse.next({
    request: { headers },
    headers: {
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  })
}

export const config = { matcher: ['/((?!_next/|static/|favicon.ico).*)'] }
