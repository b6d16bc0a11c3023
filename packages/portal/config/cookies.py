"""Names and limits of the shared cookies (requirements, "Cookies"; contract, section 4)."""

from typing import Final

VAR_ACCESS_TOKEN: Final = "VAR_ACCESS_TOKEN"
VAR_REFRESH_TOKEN: Final = "VAR_REFRESH_TOKEN"
VAR_PERMITTED_PLATFORMS: Final = "VAR_PERMITTED_PLATFORMS"
VAR_SELECTED_LOCALE: Final = "VAR_SELECTED_LOCALE"
#: A random name of this browser's sign-in, under which scripts keep what ends with it. It stays after a sign-out: the
#: next sign-in has another one.
SIGN_IN_NAME: Final = "sign_in_name"
#: Why a sign-in ended, and the page to return to: for the sign-in page alone.
VAR_WAY_BACK: Final = "VAR_WAY_BACK"
#: IANA's name of the time zone that the user has chosen; without it, the browser's own counts.
VAR_TIME_ZONE: Final = "VAR_TIME_ZONE"
#: `light` or `dark`; without it, the system's own counts.
VAR_THEME: Final = "VAR_THEME"
#: IANA's name of the browser's time zone, which `portal.js` writes for one app at a time.
BROWSER_TIME_ZONE: Final = "browser_time_zone"
#: Of one app, whose name follows, and of its host alone: saved views of its lists; how their tables look; that its
#: introduction was read.
SAVED_VIEWS: Final = "saved_views_"
TABLE_LAYOUT: Final = "table_layout_"
INTRODUCED: Final = "introduced_"
#: Whose drafts the browser keeps: a random name that lasts until the sign-out. `drafts.js` reads it.
VAR_DRAFTS: Final = "VAR_DRAFTS"

#: For some seconds: the platform that a redirect to the default home has refused. Read by the next page alone.
REFUSED_PLATFORM: Final = "refused_platform"

#: Removed when a sign-in ends. The others are preferences of the browser's owner and stay.
SIGN_IN_COOKIES: Final = (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)
#: All that the apps share on the cookie domain.
SHARED_COOKIES: Final = (*SIGN_IN_COOKIES, SIGN_IN_NAME, VAR_SELECTED_LOCALE, VAR_TIME_ZONE, VAR_THEME)

#: Browsers drop a cookie whose name and value together are larger, in bytes, without a word.
MAX_COOKIE_BYTES: Final = 4096
#: A platforms cookie longer than this, in characters, counts as empty.
MAX_PLATFORMS_COOKIE_CHARS: Final = 1024
#: Lifetime of the way back, in seconds: long enough to find one's password.
WAY_BACK_MAX_AGE_S: Final = 10 * 60
#: Lifetime of a preference, in seconds: one year.
PREFERENCE_MAX_AGE_S: Final = 365 * 24 * 60 * 60
#: Lifetime of the drafts of a browser, in seconds: a working day.
DRAFTS_MAX_AGE_S: Final = 12 * 60 * 60
