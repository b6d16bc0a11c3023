"""The search over everything that the user may open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from portal.config.current import portal_config
from portal.config.platforms import Platform
from portal.edge import NO_SEGMENT
from portal.query import PaginatedResult, Row, use_queries
from portal.services.searched_lists import SearchedList, offered_lists
from portal.web.frame import use_app_essentials
from portal.web.present import id_segment, is_not_there, part_if_answered
from portal.web.request import PortalRequest, active_locale, best_first, folded, search_text

#: A shorter text would find nearly every row.
MIN_TEXT_CHARS: Final = 2
#: Of each list.
SHOWN_ROWS: Final = 5
_SEPARATOR: Final = " · "


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """A row that was found.

    :param url: empty if its id can't stand in an address.
    """

    title: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGroup:
    """The rows of one list.

    :param name: tells the groups of a page apart.
    :param total: number of all rows that match; None if the backend does not count them.
    :param all_url: the list with all of them; empty if they are all here.
    :param failed: the list could not be asked.
    """

    name: str
    title: str
    rows: Sequence[FoundRow]
    total: int | None
    all_url: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search came to.

    :param too_short: nothing was asked, since `q` has too few characters.
    :param number: of all rows that match, as far as the backend counts them.
    :param searches: whether there is a list that the user may search, and the backend does.
    :param has_platforms: whether a platform is open to the user.
    """

    q: str
    too_short: bool = False
    groups: Sequence[FoundGroup] = ()
    number: int = 0
    searches: bool = True
    has_platforms: bool = True

    @property
    def nothing(self) -> bool:
        """Whether everything was asked, and nothing found."""
        return bool(self.q) and self.searches and not self.too_short and not self.groups

    @property
    def failed(self) -> Sequence[str]:
        """The titles of the lists that could not be asked."""
        return [group.title for group in self.groups if group.failed]


def search_everything(request: PortalRequest, q: str) -> Found:
    """Search what `GET /me` permits; without a profile, what the access token permits.

    :param q: as :func:`portal.web.request.search_text` gives it.
    :raises portal.errors.ApiError: no list could be asked, or the user has to sign in again.
    """
    essentials = use_app_essentials(request)
    platforms = request.edge_user.platforms if essentials is None else essentials.platforms
    asked = [each for each in offered_lists() if each[0].name in platforms]
    if len(q) < MIN_TEXT_CHARS:
        return Found(q=q, too_short=bool(q), searches=bool(asked), has_platforms=bool(platforms))
    results: list[PaginatedResult[Any]] = use_queries(request, [each.hook.spec(q=q) for _, each in asked])
    found = [
        (platform, each, result)
        for (platform, each), result in zip(asked, results, strict=True)
        if not is_not_there(result)
    ]
    if found and all(part_if_answered(result) is None for _, _, result in found):
        found[0][2].unwrap()
    groups = [_pages(asked, q), *(_group(platform, each, result=result, q=q) for platform, each, result in found)]
    shown = [group for group in groups if group.rows or group.failed]
    number = sum(len(group.rows) if group.total is None else group.total for group in shown)
    return Found(q=q, groups=shown, number=number, searches=bool(found), has_platforms=bool(platforms))


def _pages(lists: Sequence[tuple[Platform, SearchedList[Any]]], q: str) -> FoundGroup:
    """The lists of other apps that are called so; those of this one are in the menu."""
    own = portal_config().project.platform
    rows = [
        FoundRow(title=str(each.title), detail="", url=_list_url(platform, each))
        for platform, each in lists
        if platform != own and f" {folded(q)}" in f" {folded(str(each.title))}"
    ]
    return FoundGroup(name="pages", title=gettext("Pages"), rows=rows, total=len(rows), all_url="", failed=False)


def _group(platform: Platform, searched: SearchedList[Any], *, result: PaginatedResult[Any], q: str) -> FoundGroup:
    list_url = _list_url(platform, searched)
    page = part_if_answered(result)
    rows = best_first(page.items, q) if page else ()
    has_more = page is not None and (page.has_next or len(rows) > SHOWN_ROWS)
    return FoundGroup(
        name=f"{platform.app}-{searched.path}",
        title=str(searched.title),
        rows=[_row(row, searched, list_url=list_url) for row in rows[:SHOWN_ROWS]],
        total=page.total if page else None,
        all_url=f"{list_url}?{urlencode({'q': q})}" if has_more else "",
        failed=page is None,
    )


def _row(row: Row, searched: SearchedList[Any], *, list_url: str) -> FoundRow:
    parts = [part for part in searched.detail(row) if part]
    url = "" if NO_SEGMENT.match(row.id) else f"{list_url}/{quote(id_segment(row.id), safe='')}"
    return FoundRow(title=str(row), detail=_SEPARATOR.join(parts), url=url)


def _list_url(platform: Platform, searched: SearchedList[Any]) -> str:
    """A path on this app if the platform is this app's own, else an address of the gateway, which leads on."""
    config = portal_config()
    origin = "" if config.project.platform == platform else config.gateway_url
    return f"{origin}/{active_locale()}{platform.prefix}/{searched.path}"


#: Id of the element that htmx fills, and what it gets.
_FRAGMENTS: Final = {
    "found": "portal/pages/search.html#found",
    "palette-found": "portal/parts/palette_found.html",
}


@require_safe
def search(request: PortalRequest) -> HttpResponse:
    """What was found for `q`; a form for it alone without one.

    :raises portal.errors.ApiError: nothing could be searched.
    """
    found = search_everything(request, search_text(request.GET.get("q", "")))
    target = request.META.get("HTTP_HX_TARGET", "") if request.META.get("HTTP_HX_REQUEST") == "true" else ""
    context = {"found": found, "is_fragment": target in _FRAGMENTS}
    response = render(request, _FRAGMENTS.get(target, "portal/pages/search.html"), context)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response
