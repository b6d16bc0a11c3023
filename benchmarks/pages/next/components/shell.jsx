import Link from 'next/link'
import { messagesOf } from '../lib/messages'
import { Essentials } from './essentials'
import { Close, Logo, Menu, PAGE_ICONS, SignOut } from './icons'
import { Locales } from './locales'

const PAGES = {
  overview: '', clients: '/clients', stations: '/stations', chargers: '/chargers', sessions: '/sessions', meters: '/meters',
}

export function Shell({ locale, pathname, children }) {
  const t = messagesOf(locale)
  const home = `/${locale}/energy`
  return (
    <div className="with-sidebar" data-pathname={pathname}>
      <header className="topbar">
        <Link className="brand" href={home}>
          <Logo />
          <span>Portal <span className="topbar-place">{t.energy}</span></span>
        </Link>
        <button className="button quiet small" type="button" popoverTarget="sidebar" aria-label={t.menu}><Menu /></button>
      </header>
      <div className="sidebar" id="sidebar" popover="auto">
        <div className="sidebar-head">
          <Link className="brand" href={home}><Logo />Portal</Link>
          <button className="button quiet small sidebar-close" type="button" aria-label={t.closeMenu} popoverTarget="sidebar"
            popoverTargetAction="hide"><Close /></button>
        </div>
        <nav aria-label={t.energy}>
          <p className="side-label">{t.energy}</p>
          <ul className="side-links" role="list">
            {Object.entries(PAGES).map(([name, path]) => (
              <li key={name}>
                <Link className="side-link" href={home + path} aria-current={home + path === pathname ? 'page' : undefined}>
                  {PAGE_ICONS[name]}{t[name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="sidebar-foot">
          <Essentials locale={locale} />
          <div className="foot-row">
            <Locales locale={locale} pathname={pathname} />
            <form method="post" action={`/${locale}/logout`} data-sign-out="">
              <button className="button quiet small"><SignOut />{t.signOut}</button>
            </form>
          </div>
        </div>
      </div>
      <main className="main" id="content" tabIndex={-1}><div className="page">{children}</div></main>
      <div className="toasts" id="toasts" aria-live="polite" />
    </div>
  )
}
