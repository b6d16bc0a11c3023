"""The names that every template has, beside the filters of :mod:`portal.web.templating.filters`."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import Any, Final
from urllib.parse import parse_qs, quote

from django.template.defaultfilters import urlencode
from django.urls import NoReverseMatch, Resolver404, resolve, reverse
from django.utils.translation.trans_real import translation
from jinja2 import TemplateNotFound, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from portal.config.current import portal_config
from portal.config.platforms import PLATFORMS
from portal.edge import NO_SEGMENT
from portal.query import REGISTRY, offers
from portal.web.present import NO_VALUE, OWN_WORDS, Badge, ParamValue, badge_for, id_segment, with_params
from portal.web.request import view_is_absent

#: An id that stands in an address as it is.
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
#: Stands for the id while the address around it is looked up.
_ID: Final = "0id0"
#: Links that are kept, and the longest label and id of one: less than a megabyte.
_KEPT_LINKS: Final = 1024
_MAX_KEPT_CHARS: Final = 200


def texts_of(language: str) -> dict[str, Callable[..., Markup]]:
    """Return the functions that translate into a language; each of its texts without a value is made once."""
    texts = translation(language)

    def translate(text: str, /, **values: object) -> Markup:
        """A text: `_("Delete %(name)s?", name=client.title)`. The values are escaped."""
        return Markup(texts.gettext(text)) % values if values else plain(text)  # noqa: S704  texts and translations are ours

    @cache
    def plain(text: str) -> Markup:
        return Markup(texts.gettext(text)) % {}  # noqa: S704  as above

    def translate_plural(singular: str, plural: str, number: int, /, **values: object) -> Markup:
        """A text with a number: the form that the language has for `number`, which is also the value `num`."""
        return Markup(texts.ngettext(singular, plural, number)) % {"num": number, **values}  # noqa: S704  as above

    return {"_": translate, "gettext": translate, "ngettext": translate_plural}


def icons_of(*folders: str, read: Callable[[str], str]) -> Callable[..., Markup]:
    """`icon("plus")`: the SVG from the app's folder `icons`, or from the shared one; `icon("tariffs", "list")`.

    :param folders: where to look, in order.
    :param read: gives the text of a file below the template folders.
    """

    @cache
    def icon(name: str, other: str = "") -> Markup:
        """The icon's SVG.

        :param other: the icon where there is none of that name.
        :raises jinja2.TemplateNotFound: there is neither.
        """
        paths = [f"{folder}/icons/{name}.svg" for folder in folders]
        for path in paths:
            with suppress(TemplateNotFound):
                return Markup(read(path).strip())  # noqa: S704  the file is ours
        if other:
            return icon(other)
        raise TemplateNotFound(name, message=f"there is no icon {name!r}: neither {' nor '.join(paths)}")

    return icon


class Links:
    """Addresses of this app's pages in one language, and links to them.

    :param urlconf: the module with the app's URLs. A request that the edge rejects has another one.
    :param icon: gives an icon's SVG by its name.
    """

    def __init__(self, *, urlconf: str, icon: Callable[[str, str], Markup]) -> None:
        self._urlconf = urlconf
        self._icon = icon
        # `typed`, because a text of HTML equals a text with the same characters, and only one of them is escaped.
        self._kept_link: Final = lru_cache(maxsize=_KEPT_LINKS, typed=True)(self._link)
        self._kept_entry: Final = lru_cache(maxsize=_KEPT_LINKS, typed=True)(self._entry)
        self._view_at: Final = lru_cache(maxsize=_KEPT_LINKS)(self._find_view)
        #: By the route: the address of a page without an id.
        self._address: Final = cache(partial(reverse, urlconf=urlconf))
        #: By the route: the address before and after the id; None if an id of the route can't be any text.
        self._around_id: Final = cache(self._find_around_id)
        #: By the route: whether the backend does not offer what the page of a row shows.
        self._leads_nowhere: Final = cache(self._row_is_absent)

    def url(self, route: str, *ids: str | None) -> str:
        """The address of a page. Empty if an id is None, can't stand in an address, or would be refused by the edge."""
        if not ids:
            return self._address(route)
        given = [each for each in ids if each is not None]
        if len(given) == len(ids) == 1 and _PLAIN_ID.fullmatch(given[0]) and given[0] not in OWN_WORDS:
            around = self._around_id(route)
            if around is not None:
                return f"{around[0]}{given[0]}{around[1]}"
        if len(given) == len(ids) and not any(NO_SEGMENT.match(each) for each in given):
            with suppress(NoReverseMatch):
                return reverse(route, urlconf=self._urlconf, args=ids)
        return ""

    def list_url(self, route: str, **filters: ParamValue) -> str:
        """The address of a list with filters: `list_url("chargers", status="faulted")`. None leaves one out."""
        return with_params(self._address(route), filters)

    def offered(self, href: str) -> str:
        """`{{ tile.href|offered }}`: the address; empty where the page's call or one of its filters is not offered."""
        path, _, query = href.partition("?")
        view = self._view_at(path) if path.startswith("/") else None
        return "" if view is not None and view_is_absent(view, parse_qs(query)) else href

    def _find_view(self, path: str) -> Callable[..., Any] | None:
        with suppress(Resolver404):
            return resolve(path, urlconf=self._urlconf).func
        return None

    def link(self, label: object, route: str, *ids: str | None) -> Markup:
        """`{{ row|link("client", row.id) }}`: a link to the row's page; without an address, the label alone.

        A list that is shown again has the same links, so they are kept.
        """
        if not isinstance(label, str):
            label = NO_VALUE if label is None else str(label)
        is_short = len(label) <= _MAX_KEPT_CHARS and sum(map(len, filter(None, ids))) <= _MAX_KEPT_CHARS
        return self._kept_link(label, route, *ids) if is_short else self._link(label, route, *ids)

    def _link(self, label: str, route: str, *ids: str | None) -> Markup:
        url, text = "" if self._leads_nowhere(route) else self.url(route, *ids), escape(label)
        return Markup(f'<a href="{escape(url)}">{text}</a>') if url else text  # noqa: S704  both are escaped

    @pass_context
    def platform_link(self, context: Context, label: object, path: str, row_id: str | None) -> Markup:
        """`{{ row.client_name|platform_link("/energy/clients", row.client_id) }}`: a link to a row of another platform.

        It goes through the gateway. The label alone for who may not open the platform, for an id without an
        address, and where the call of the row, which has the page's path, is not offered.
        """
        text, shell = escape(NO_VALUE if label is None or label == "" else label), context["shell"]
        is_open = any(path.startswith(f"{each.prefix}/") and each.name in shell.platforms for each in PLATFORMS)
        if not is_open or not row_id or NO_SEGMENT.match(row_id) or _is_absent_elsewhere(path, portal_config().offers):
            return text
        url = f"{shell.gateway_url}/{shell.locale}{path}/{quote(id_segment(row_id), safe='')}"
        return Markup(f'<a href="{escape(url)}">{text}</a>')  # noqa: S704  both are escaped

    @pass_context
    def nav_link(
        self,
        context: Context,
        route: str,
        label: str,
        *,
        icon: str,
        exact: bool = False,
        key: str = "",
        create: str = "",
        create_label: str = "",
        views: tuple[Any, ...] = (),
    ) -> Markup:
        """One entry of the sidebar, marked as current on its own page and, unless `exact`, on the pages below.

        Empty where the backend does not offer what the page shows, and for who has no permission for it.

        :param icon: empty for the one with the name of the route, else a shared one.
        :param key: the key that opens the page after `g`.
        :param create: the route of the page that creates an entry, which the palette offers as `create_label`.
        :param views: of a list, for the palette; those that are pinned are seen.
        """
        is_absent = context.get("is_absent")
        if self._is_absent(route, is_absent):
            return Markup()
        url, here = self.url(route), context["shell"].pathname
        current = here == url or (not exact and here.startswith(f"{url}/"))
        made = self.url(create) if create and not self._is_absent(create, is_absent) else ""
        entry = self._kept_entry(
            url, str(label), icon or route, "" if icon else "list", current, key, made, str(create_label)
        )
        pin = Markup('<li{}><a class="side-link pin" href="{}" title="{}: {}">{}</a></li>')
        hidden = {True: "", False: Markup(" hidden")}
        return entry + Markup().join(
            pin.format(hidden[each.is_pinned], each.url, label, each.label, each.label) for each in views
        )

    def _entry(  # noqa: PLR0917  the key of a cache
        self, url: str, label: str, icon: str, other: str, current: bool, key: str, create: str, create_label: str
    ) -> Markup:
        mark = ' aria-current="page"' if current else ""
        if key:
            mark += f' data-shortcut="g {escape(key)}"'
        if create:
            mark += f' data-create="{escape(create)}" data-create-label="{escape(create_label)}"'
        content = f"{self._icon(icon, other)}{escape(label)}"
        return Markup(f'<li><a class="side-link" href="{escape(url)}"{mark}>{content}</a></li>')  # noqa: S704  escaped

    def _is_absent(self, route: str, is_absent: Callable[[Callable[..., Any]], bool] | None) -> bool:
        view = None if is_absent is None else self._view_at(self._address(route))
        return is_absent is not None and view is not None and is_absent(view)

    def _row_is_absent(self, route: str) -> bool:
        around = self._around_id(route)
        view = None if around is None else self._view_at(_ID.join(around))
        return view is not None and view_is_absent(view)

    def _find_around_id(self, route: str) -> tuple[str, str] | None:
        with suppress(NoReverseMatch):
            before, _, after = reverse(route, urlconf=self._urlconf, args=[_ID]).partition(_ID)
            return before, after
        return None


@lru_cache(maxsize=_KEPT_LINKS)
def _is_absent_elsewhere(path: str, offered: frozenset[str] | None) -> bool:  # noqa: ARG001  the key
    shape = re.compile(rf"{re.escape(path)}/\{{\w+\}}", re.ASCII)
    return any(shape.fullmatch(each.path_shape) and not offers(each) for each in REGISTRY.queries.values())


def badge(value: str | Badge | None, badges: Mapping[Any, Badge] | None = None) -> Markup:
    """`{{ row.status|badge(statuses) }}`: the word for a status, with its tone.

    :param value: the status; or a badge, which needs no `badges`.
    :param badges: status to badge. A status without one shows its code, and none at all a dash.
    :raises TypeError: a status without `badges`: it would be shown as its code, in every language.
    """
    if not isinstance(value, Badge):
        if badges is None:
            raise TypeError(f"{value!r} is no Badge: name the badges of the statuses, as in row.status|badge(statuses)")
        value = badge_for(code=value, known=badges)
    return Markup(f'<span class="badge {escape(value.tone)}">{escape(value.label)}</span>')  # noqa: S704  escaped


#: The functions that translate, with the number of their arguments that are texts.
TEXTS: Final = {"_": 1, "gettext": 1, "ngettext": 2}
FILTERS: Final = {"badge": badge, "urlencode": urlencode}
