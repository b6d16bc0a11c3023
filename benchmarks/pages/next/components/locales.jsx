import { LOCALE_NAMES, messagesOf } from '../lib/messages'

export function Locales({ locale, pathname }) {
  return (
    <form method="post" action="/locale">
      <input type="hidden" name="next" value={pathname} />
      <div className="locales" role="group" aria-label={messagesOf(locale).language}>
        {Object.entries(LOCALE_NAMES).map(([code, name]) => (
          <button key={code} name="locale" value={code} lang={code} title={name} aria-current={code === locale || undefined}>
            <span className="visually-hidden">{name}</span><span aria-hidden="true">{code.toUpperCase()}</span>
          </button>
        ))}
      </div>
    </form>
  )
}
