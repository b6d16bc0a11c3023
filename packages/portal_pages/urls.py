"""The URLs of an app with pages: those that every app has, the search, and the app's own."""

from collections.abc import Sequence
from typing import Final

from django.urls import URLPattern, URLResolver

from portal.web import urls as every_apps
from portal.web.guards import neutral_page
from portal_pages.search import search

_SEARCH: Final = neutral_page("search", search, name="search")


def portal_patterns(*, pages: Sequence[URLPattern]) -> list[URLPattern | URLResolver]:
    """All URLs of an app: those of :func:`portal.web.urls.portal_patterns`, and the search.

    :param pages: the app's own pages; their URLs begin with the locale.
    :raises portal.errors.UsageError: two pages have one route, or one name and as many values.
    """
    return every_apps.portal_patterns(pages=[_SEARCH, *pages])


def platform_patterns(*, pages: Sequence[URLPattern]) -> list[URLPattern | URLResolver]:
    """All URLs of a platform app: those of :func:`portal.web.urls.platform_patterns`, and the search.

    :param pages: the platform's pages.
    """
    return every_apps.platform_patterns(pages=[_SEARCH, *pages])
