import { Providers } from '../../components/providers'
import { LOCALE_NAMES, messagesOf } from '../../lib/messages'

export const viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' }

export const generateStaticParams = () => Object.keys(LOCALE_NAMES).map((locale) => ({ locale }))

export default async function Layout({ params, children }) {
  const { locale } = await params
  const t = messagesOf(locale)
  return (
    <html lang={locale} data-app="energy">
      <head>
        <link rel="icon" href="/static/portal/img/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/static/energy/app.css" />
      </head>
      <body data-offline={t.offline}>
        <a className="skip visually-hidden" href="#content">{t.skip}</a>
        <Providers>{children}</Providers>
      </body>
    </html>
  )
}
