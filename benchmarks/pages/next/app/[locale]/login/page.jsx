import { Suspense } from 'react'
import { ArrowRight, Logo } from '../../../components/icons'
import { Locales } from '../../../components/locales'
import { NextField } from '../../../components/next-field'
import { messagesOf } from '../../../lib/messages'

export async function generateMetadata({ params }) {
  return { title: `${messagesOf((await params).locale).signIn} · Portal` }
}

// It depends on nothing of the request but its language, so Next renders it once, when it is built.
export default async function SignIn({ params }) {
  const { locale } = await params
  const t = messagesOf(locale)
  const pathname = `/${locale}/login`
  return (
    <div className="plain with-art">
      <header className="plain-head">
        <a className="brand" href={pathname}><Logo />Portal</a>
        <div className="foot-row"><Locales locale={locale} pathname={pathname} /></div>
      </header>
      <main className="plain-main" id="content" tabIndex={-1}>
        <div className="plain-body">
          <header className="head-text"><h1>{t.signIn}</h1><p className="lede">{t.signInLede}</p></header>
          <form className="form" method="post" action={pathname} noValidate>
            <Suspense fallback={<input type="hidden" name="next" id="id_next" />}><NextField /></Suspense>
            <div className="field">
              <label htmlFor="id_email">{t.email}</label>
              <input type="email" name="email" autoComplete="username" autoCapitalize="none" autoFocus maxLength={254} id="id_email" />
            </div>
            <div className="field">
              <label htmlFor="id_password">{t.password}</label>
              <input type="password" name="password" autoComplete="current-password" maxLength={1000} id="id_password" />
            </div>
            <button className="button primary wide">{t.signIn}<ArrowRight /></button>
          </form>
        </div>
      </main>
      <div className="toasts" id="toasts" aria-live="polite" />
      <footer className="plain-foot">{t.footer}</footer>
      <div className="plain-art" aria-hidden="true">
        <svg viewBox="0 0 600 800" preserveAspectRatio="xMidYMax slice" focusable="false">
          <path className="art-1" d="M20 800V400a280 280 0 0 1 560 0v400z" />
          <path className="art-2" d="M90 800V440a210 210 0 0 1 420 0v360z" />
          <path className="art-3" d="M160 800V480a140 140 0 0 1 280 0v320z" />
          <path className="art-4" d="M230 800V520a70 70 0 0 1 140 0v280z" />
          <circle className="art-5" cx="300" cy="520" r="34" />
        </svg>
      </div>
    </div>
  )
}
