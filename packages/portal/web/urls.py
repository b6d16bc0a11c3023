"""The URLs that every app has; an app adds its own pages.

The function around a view is its guard (:mod:`portal.web.guards`), and runs before the view:

- `platform_page` reads `GET /me`, through the query layer: a user whose profile denies the platform gets a 403. A view
  that only reads runs at the same time, and its response is dropped if `/me` denies it.
- `neutral_page` reads nothing. It refuses a form that was made for another account.
- Both keep the page out of all caches, and give a 405 its page.
- `path` has no guard.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from django.urls import ResolverMatch, URLPattern, URLResolver, include, path, re_path
from django.urls.resolvers import LocalePrefixPattern
from django.utils.translation import get_language

from portal.config.current import portal_config
from portal.errors import UsageError
from portal.web.errors import page_not_found
from portal.web.guards import neutral_page, with_405_page
from portal.web.present import OWN_WORDS
from portal.web.views.for_machines import favicon, healthz, metrics, readyz, robots, security_txt
from portal.web.views.for_people import essentials, help_page, login_redirect, logout, sign_in_state, switch_locale

#: Django looks for them in an app's URLs: `handler400, handler403, handler404, handler500 = HANDLERS`.
HANDLERS: Final = tuple(
    f"portal.web.errors.failure_pages.{name}"
    for name in ("bad_request", "permission_denied", "page_not_found", "server_error")
)

#: Those of the records that many users open.
_FOUND_PATHS: Final = 1024


def portal_patterns(*, pages: Sequence[URLPattern]) -> list[URLPattern | URLResolver]:
    """All URLs of an app.

    :param pages: the app's own pages; their URLs begin with the locale.
    :raises UsageError: two pages have one route, or one name and as many values.
    """
    _refuse_twins(pages)
    OWN_WORDS.update(word for page in pages for word in str(page.pattern).split("/") if "<" not in word)
    return [
        # First, since Django tries the patterns in turn.
        PageResolver(
            LocalePrefixPattern(prefix_default_language=True),
            [
                neutral_page("logout", logout, name="logout"),
                neutral_page("essentials", essentials, name="essentials"),
                neutral_page("help", help_page, name="help"),
                *pages,
            ],
        ),
        path("healthz", healthz, name="healthz"),
        path("readyz", readyz, name="readyz"),
        path("metrics", metrics, name="metrics"),
        path("favicon.ico", favicon, name="favicon"),
        path("robots.txt", robots, name="robots"),
        path(".well-known/security.txt", security_txt, name="security-txt"),
        path("sign-in-state", sign_in_state, name="sign-in-state"),
        path("locale", with_405_page(switch_locale), name="locale"),
        *([path("__debug__/", include("debug_toolbar.urls"))] if portal_config().debug_toolbar else []),
        # Last: every other URL has the portal's own 404 page, also in DEBUG.
        re_path(r"", page_not_found),
    ]


class PageResolver(URLResolver):
    """Django's `i18n_patterns`, which remembers what it found: to try 30 patterns is a twentieth of a cached page."""

    def __init__(self, pattern: LocalePrefixPattern, pages: list[URLPattern]) -> None:
        super().__init__(pattern, pages)
        self._found = lru_cache(maxsize=_FOUND_PATHS)(self._find)

    def resolve(self, path: str) -> ResolverMatch:
        """The view of a path below the locale. A path without one is looked for each time."""
        return self._found(path, get_language())

    def _find(self, path: str, language: str | None) -> ResolverMatch:  # noqa: ARG002  the key: the active one
        return super().resolve(path)


def _refuse_twins(pages: Sequence[URLPattern]) -> None:
    """Refuse pages of which Django would open, or lead to, the one alone."""
    routes: dict[str, URLPattern] = {}
    names: dict[tuple[str | None, int], URLPattern] = {}
    for page in pages:
        twin = routes.setdefault(str(page.pattern), page)
        if twin is not page:
            raise UsageError(f"two pages have the route {page.pattern}: {twin.name} and {page.name}")
        namesake = names.setdefault((page.name, len(page.pattern.converters)), page)
        if page.name and namesake is not page:
            raise UsageError(f"two pages have the name {page.name!r}: {namesake.pattern} and {page.pattern}")


def platform_patterns(*, pages: Sequence[URLPattern]) -> list[URLPattern | URLResolver]:
    """All URLs of a platform app: those of every app, and `/login`, which redirects to the gateway's sign-in page.

    :param pages: the platform's pages.
    """
    return portal_patterns(pages=[neutral_page("login", login_redirect, name="login"), *pages])
