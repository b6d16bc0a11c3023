// The texts of the two pages in the portal's three languages.
const en = {
  clients: 'Clients', energy: 'Energy', overview: 'Overview', stations: 'Stations', chargers: 'Chargers',
  sessions: 'Charging sessions', meters: 'Meters', menu: 'Menu', closeMenu: 'Close the menu', skip: 'Skip to content',
  language: 'Language', profile: 'Your profile', signOut: 'Sign out', lede: 'Everyone who charges with you.',
  newClient: 'New client', search: 'Search', hint: 'Name, email, phone or city', sortBy: 'Sort by', apply: 'Apply',
  '-createdAt': 'Newest first', createdAt: 'Oldest first', name: 'Name, A to Z', '-name': 'Name, Z to A',
  columnName: 'Name', email: 'Email', phone: 'Phone', city: 'City', since: 'Client since', refresh: 'Refresh',
  total: (count) => `${count} entries in all`, asOf: (time) => `As of ${time}`, more: 'Load more',
  signIn: 'Sign in', signInLede: 'Use your work account. You land on the platform that you work with.',
  password: 'Password', footer: 'One sign-in for every platform you work with.',
  offline: 'The service does not answer. Please try again in a moment.',
}
const de = {
  clients: 'Kunden', energy: 'Energie', overview: 'Übersicht', stations: 'Stationen', chargers: 'Ladepunkte',
  sessions: 'Ladevorgänge', meters: 'Zähler', menu: 'Menü', closeMenu: 'Menü schließen', skip: 'Zum Inhalt springen',
  language: 'Sprache', profile: 'Ihr Profil', signOut: 'Abmelden', lede: 'Alle, die bei Ihnen laden.',
  newClient: 'Neuer Kunde', search: 'Suchen', hint: 'Name, E-Mail, Telefon oder Ort', sortBy: 'Sortieren nach',
  apply: 'Anwenden', '-createdAt': 'Neueste zuerst', createdAt: 'Älteste zuerst', name: 'Name, A bis Z',
  '-name': 'Name, Z bis A', columnName: 'Name', email: 'E-Mail', phone: 'Telefon', city: 'Ort', since: 'Kunde seit',
  refresh: 'Aktualisieren', total: (count) => `${count} Einträge insgesamt`, asOf: (time) => `Stand ${time}`,
  more: 'Mehr laden', signIn: 'Anmelden',
  signInLede: 'Verwenden Sie Ihr Arbeitskonto. Sie kommen auf die Plattform, mit der Sie arbeiten.',
  password: 'Passwort', footer: 'Eine Anmeldung für jede Plattform, mit der Sie arbeiten.',
  offline: 'Der Dienst antwortet nicht. Bitte versuchen Sie es gleich noch einmal.',
}
const tr = {
  clients: 'Müşteriler', energy: 'Enerji', overview: 'Genel bakış', stations: 'İstasyonlar', chargers: 'Şarj üniteleri',
  sessions: 'Şarj oturumları', meters: 'Sayaçlar', menu: 'Menü', closeMenu: 'Menüyü kapat', skip: 'İçeriğe geç',
  language: 'Dil', profile: 'Profiliniz', signOut: 'Çıkış yap', lede: 'Sizde şarj eden herkes.',
  newClient: 'Yeni müşteri', search: 'Ara', hint: 'Ad, e-posta, telefon veya şehir', sortBy: 'Sırala', apply: 'Uygula',
  '-createdAt': 'Önce en yeni', createdAt: 'Önce en eski', name: 'Ada göre, A-Z', '-name': 'Ada göre, Z-A',
  columnName: 'Ad', email: 'E-posta', phone: 'Telefon', city: 'Şehir', since: 'Müşteri başlangıcı', refresh: 'Yenile',
  total: (count) => `Toplam ${count} kayıt`, asOf: (time) => `${time} itibarıyla`, more: 'Daha fazla yükle',
  signIn: 'Oturum aç', signInLede: 'İş hesabınızı kullanın. Çalıştığınız platforma yönlendirilirsiniz.',
  password: 'Parola', footer: 'Çalıştığınız her platform için tek oturum.',
  offline: 'Hizmet yanıt vermiyor. Lütfen birazdan yeniden deneyin.',
}
const MESSAGES = { en, de, tr }
const LOCALE_NAMES = { en: 'English', de: 'Deutsch', tr: 'Türkçe' }
const FORMATS = Object.fromEntries(
  Object.keys(MESSAGES).map((locale) => [
    locale,
    {
      day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
      clock: new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }),
      number: new Intl.NumberFormat(locale),
    },
  ]),
)

export const messagesOf = (locale) => MESSAGES[locale] ?? en
export const formatsOf = (locale) => FORMATS[locale] ?? FORMATS.en
export { LOCALE_NAMES }
