const Icon = ({ children }) => (
  <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    {children}
  </svg>
)

export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false" fill="none" strokeWidth="2.8" strokeLinecap="round">
    <path className="arch-outer" d="M5 27V16a11 11 0 0 1 22 0v11" />
    <path className="arch-middle" d="M10.5 27V16a5.5 5.5 0 0 1 11 0v11" />
    <path className="arch-inner" d="M16 27V16.5" />
  </svg>
)
export const Menu = () => <Icon><path d="M3 6h14M3 10h14M3 14h14" /></Icon>
export const Close = () => <Icon><path d="m5 5 10 10M15 5 5 15" /></Icon>
export const Plus = () => <Icon><path d="M10 4v12M4 10h12" /></Icon>
export const ArrowRight = () => <Icon><path d="M4 10h12M11 5l5 5-5 5" /></Icon>
export const Search = () => <Icon><circle cx="9" cy="9" r="5.5" /><path d="m13.2 13.2 4 4" /></Icon>
export const Refresh = () => <Icon><path d="M16.5 10a6.5 6.5 0 1 1-2-4.7" /><path d="M16.75 2.75v3.5h-3.5" /></Icon>
export const SignOut = () => (
  <Icon><path d="M8 3H5.5A1.5 1.5 0 0 0 4 4.5v11A1.5 1.5 0 0 0 5.5 17H8M12.5 6.5 16 10l-3.5 3.5M16 10H8.5" /></Icon>
)

export const PAGE_ICONS = {
  overview: (
    <Icon>
      <rect x="3" y="3" width="6" height="7" rx="1.5" />
      <rect x="11" y="3" width="6" height="4" rx="1.5" />
      <rect x="3" y="13" width="6" height="4" rx="1.5" />
      <rect x="11" y="10" width="6" height="7" rx="1.5" />
    </Icon>
  ),
  clients: (
    <Icon>
      <circle cx="7.5" cy="7" r="3" />
      <path d="M2.5 16.5c.4-2.9 2.4-4.5 5-4.5s4.6 1.6 5 4.5" />
      <path d="M13 4.3a3 3 0 0 1 0 5.4M15 12.5c1.5.7 2.3 2 2.5 4" />
    </Icon>
  ),
  stations: (
    <Icon>
      <path d="M4 17V5a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v12M2.5 17h11" />
      <path d="M6.5 6.5h3" />
      <path d="M12 9.5h1.5a1.5 1.5 0 0 1 1.5 1.5v2.5a1.25 1.25 0 0 0 2.5 0V8L15 5.5" />
    </Icon>
  ),
  chargers: <Icon><path d="M7 2.5v3.5M13 2.5v3.5M4.5 6h11v2.5a5.5 5.5 0 0 1-11 0zM10 14v3.5" /></Icon>,
  sessions: <Icon><path d="M11 2.5 4.5 11.5H9.5L9 17.5 15.5 8.5H10.5z" /></Icon>,
  meters: (
    <Icon>
      <path d="M3.5 14a7.5 7.5 0 1 1 13 0" />
      <path d="m10 11 3-4" />
      <circle cx="10" cy="11.5" r="1" />
      <path d="M5.5 17h9" />
    </Icon>
  ),
}
