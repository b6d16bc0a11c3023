"""The cookies of preferences. Scripts can read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from portal.config.cookies import PREFERENCE_MAX_AGE_S, VAR_THEME
from portal.config.current import portal_config

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http.response import HttpResponseBase

TTheme: TypeAlias = Literal["light", "dark"]
THEMES: Final[tuple[TTheme, ...]] = get_args(TTheme)


def theme_of(cookies: Mapping[str, str]) -> TTheme | None:
    """The theme that the user has chosen; None leaves it to the system."""
    sent = cookies.get(VAR_THEME)
    return next((theme for theme in THEMES if theme == sent), None)


def write_preference(response: HttpResponseBase, name: str, value: str | None) -> None:
    """Set the cookie of a preference for one year, on the cookie domain; None removes it."""
    config = portal_config()
    domain = config.cookie_domain or None
    if value is not None:
        response.set_cookie(
            name,
            value,
            max_age=PREFERENCE_MAX_AGE_S,
            path="/",
            domain=domain,
            secure=config.secure,
            samesite="Lax",
        )
        return
    response.delete_cookie(name, path="/", domain=domain, samesite="Lax")
    if config.secure:
        response.cookies[name]["secure"] = True
