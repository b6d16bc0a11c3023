"""Names and limits of the four shared cookies (requirements, "Cookies"; contract, section 4)."""

from __future__ import annotations

from typing import Final

VAR_ACCESS_TOKEN: Final = "VAR_ACCESS_TOKEN"
VAR_REFRESH_TOKEN: Final = "VAR_REFRESH_TOKEN"
VAR_PERMITTED_PLATFORMS: Final = "VAR_PERMITTED_PLATFORMS"
VAR_SELECTED_LOCALE: Final = "VAR_SELECTED_LOCALE"

#: Removed when a sign-in ends. The locale is a preference of the browser's owner and stays.
SIGN_IN_COOKIES: Final = (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)
#: All that the apps share on the cookie domain.
SHARED_COOKIES: Final = (*SIGN_IN_COOKIES, VAR_SELECTED_LOCALE)

#: Browsers drop a cookie whose name and value together are larger, in bytes, without a word.
MAX_COOKIE_BYTES: Final = 4096
#: A platforms cookie longer than this, in characters, counts as empty.
MAX_PLATFORMS_COOKIE_CHARS: Final = 1024
#: Lifetime of the locale preference, in seconds: one year.
LOCALE_MAX_AGE_S: Final = 365 * 24 * 60 * 60
