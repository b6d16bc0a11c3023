"""Views of a list: states of it that it declares, and those that a user has saved in this browser under a name.

The saved ones of all lists of an app are one cookie (ADR 38): JSON in base64, by the account's tag. It is input as any
other: of a query in it, the list takes what it knows, and makes the address anew. Another cookie has how tables look:
the columns that the browser's owner has hidden, each as `<URL name>.<column>`, and `compact`, all with `+` between.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import msgspec
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.config.cookies import SAVED_VIEWS, TABLE_LAYOUT
from portal.web import see_other
from portal.web.frame import shell_for
from portal.web.preferences import own_cookie, write_preference
from portal.web.present import LazyText, with_params
from portal.web.request import search_text

#: Views of one account; characters of a name, of a query, and of the cookie, of which browsers keep 4,096 bytes.
MAX_VIEWS: Final = 20
MAX_NAME_CHARS: Final = 60
MAX_QUERY_CHARS: Final = 500
MAX_COOKIE_CHARS: Final = 3500


@dataclass(frozen=True, slots=True)
class QuickView:
    """A view that a list declares: `QuickView(_("Faulted"), {"status": ChargerStatus.FAULTED})`.

    :param params: of the address, or what gives them for a request; None: it is not offered. Pages are kept, so they
        depend on the user, the time zone and the day alone.
    """

    label: LazyText
    params: Mapping[str, Any] | Callable[[Any], Mapping[str, Any] | None]


class SavedView(NamedTuple):
    """A view in the cookie: of the list with this name of its URL; if it is pinned, the sidebar shows it."""

    route: str
    name: str
    query: str
    pinned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownView:
    """A view as pages show it."""

    label: str
    url: str
    is_current: bool
    is_saved: bool = False
    is_pinned: bool = False


class TableLayout(NamedTuple):
    """How a table looks: with little space between its rows, and without the columns of these names."""

    is_compact: bool = False
    hidden: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The hidden columns, in an address."""
        return ".".join(self.hidden)


#: What the cookie and the form call the first of these.
_COMPACT: Final = "compact"


def _layout_cookie(request: Any) -> str:
    # Not that of `shell_for`, which is made anew.
    value: str = request.COOKIES.get(own_cookie(TABLE_LAYOUT), "")
    return value


def table_layout(request: Any, route: str, columns: Iterable[str]) -> TableLayout:
    """What the cookie says about a list's table. The first column names the row, and is always shown.

    :param route: name of the list's URL.
    :param columns: names of its columns.
    """
    if not (cookie := _layout_cookie(request)):
        return TableLayout()
    chosen = frozenset(cookie.split("+"))
    return TableLayout(_COMPACT in chosen, tuple(name for name in [*columns][1:] if f"{route}.{name}" in chosen))


def views_of(view: Any, request: Any, route: str, *, shown_url: str = "") -> tuple[ShownView, ...]:
    """The views of a list that this user is offered: those declared, then those saved.

    :param view: the `ListView`, whose module is above this one.
    :param route: name of the list's URL.
    :param shown_url: the address of the state that the page shows.
    """
    shell = shell_for(request)
    # A request that the edge rejects has other URLs, and a sidebar.
    path = reverse(route, urlconf=f"apps.{shell.app}.urls")

    def made(label: str, query: str, **about: bool) -> ShownView:
        url = view.controls(QueryDict(query)).url(path)
        return ShownView(label=label, url=url, is_current=_state(url) == _state(shown_url), **about)

    shown = []
    for each in view.views:
        params: Any = each.params(request) if callable(each.params) else each.params
        if params is not None and view.offered.issuperset(params):
            shown.append(made(str(each.label), with_params("", params)[1:]))
    saved = [each for each in _read(shell.saved_views).get(shell.account or "", ()) if each.route == route]
    shown += [
        made(each.name, each.query, is_saved=True, is_pinned=each.pinned)
        for each in saved
        if not view.controls(QueryDict(each.query)).left_out
    ]
    return (*([made(_("All"), "")] if shown and shown_url else ()), *shown)


def change_views(view: Any, request: Any, route: str) -> HttpResponse:
    """Keep the state that the address asks for under the name that was sent, or forget the view of that name.

    A name that is there already gets the new state. What does not fit in changes nothing, and is said. A form
    with `table` changes how the table looks instead.
    """
    url, shell = view.controls(request.GET).url(request.path), shell_for(request)
    if "table" in request.POST:
        return _change_layout(view, request, route, see_other(url))
    name = _name(request.POST.get("view", ""))
    response, query, deletes = see_other(url), url.partition("?")[2], "delete" in request.POST
    if not shell.account or not name or not (query or deletes):
        return response
    kept = dict(_read(shell.saved_views))
    own = [each for each in kept.pop(shell.account, ()) if each[:2] != (route, name)]
    own += [] if deletes else [SavedView(route, name, query, "pinned" in request.POST)]
    kept[shell.account] = own
    while len(value := _written(kept)) > MAX_COOKIE_CHARS and len(kept) > 1:
        # The first is another account's, and of those the one that has saved nothing for the longest time.
        del kept[next(iter(kept))]
    if len(query) > MAX_QUERY_CHARS and not deletes:
        messages.error(request, _("Too much is chosen to be saved as a view."))
    elif len(own) > MAX_VIEWS or len(value) > MAX_COOKIE_CHARS:
        messages.error(request, _("This browser has no room for another view. Delete one first."))
    else:
        write_preference(response, own_cookie(SAVED_VIEWS), value, is_own=True)
        said = _("The view “%(name)s” was deleted.") if deletes else _("The view “%(name)s” was saved.")
        messages.success(request, said % {"name": name})
    return response


def _change_layout(view: Any, request: Any, route: str, response: HttpResponse) -> HttpResponse:
    shown = request.POST.getlist("column")
    hidden = [f"{route}.{name}" for name in [*view.columns][1:] if name not in shown]
    kept = (each for each in _layout_cookie(request).split("+") if re.fullmatch(r"[\w-]+\.\w+", each, re.ASCII))
    others = [each for each in kept if not each.startswith(f"{route}.")]
    compact = [_COMPACT] if _COMPACT in request.POST else []
    value = "+".join([*compact, *hidden, *others])[:MAX_COOKIE_CHARS]
    write_preference(response, own_cookie(TABLE_LAYOUT), value or None, is_own=True)
    messages.success(request, _("The table was changed."))
    return response


def _name(text: str) -> str:
    return search_text(text)[:MAX_NAME_CHARS].strip()


def _state(url: str) -> list[tuple[str, str]]:
    """What an address asks for, in whatever order."""
    return sorted(parse_qsl(url.partition("?")[2]))


def _could_be_saved(view: SavedView) -> bool:
    return view.name == _name(view.name) != "" and len(view.query) <= MAX_QUERY_CHARS


def _written(views: Mapping[str, Sequence[SavedView]]) -> str:
    return urlsafe_b64encode(msgspec.json.encode(views)).decode().rstrip("=")


@lru_cache(maxsize=256)
def _read(cookie: str) -> Mapping[str, Sequence[SavedView]]:
    """The views by the account's tag: those that could have been saved."""
    if 0 < len(cookie) <= MAX_COOKIE_CHARS:
        with suppress(ValueError, msgspec.MsgspecError):
            kept = msgspec.json.decode(urlsafe_b64decode(f"{cookie}=="), type=dict[str, list[SavedView]])
            return {tag: [each for each in views if _could_be_saved(each)] for tag, views in kept.items()}
    return {}
