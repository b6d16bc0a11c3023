"""Links: the entries of an app's navigation, and a row's link to its own page."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html

from portal.edge import NO_SEGMENT

if TYPE_CHECKING:
    from django.template import RequestContext

register = template.Library()


@register.inclusion_tag("portal/parts/nav_link.html", takes_context=True)
def nav_link(context: RequestContext, route: str, label: str, icon: str, *, exact: bool = False) -> dict[str, Any]:
    """One entry of the sidebar. It is marked as current on its own page and, unless `exact`, on the pages below.

    :param icon: the icon's template, such as `"energy/icons/meters.svg"`.
    """
    url = reverse(route)
    here = context["shell"].pathname
    current = here == url or (not exact and here.startswith(f"{url}/"))
    return {"url": url, "label": label, "icon": icon, "current": current}


@register.simple_tag
def row_link(route: str, row_id: str, label: object) -> str:
    """A link to the row's page. An id that no address can carry (one with a slash) is shown without a link."""
    if not NO_SEGMENT.match(row_id):
        with suppress(NoReverseMatch):
            return format_html('<a href="{}">{}</a>', reverse(route, args=[row_id]), label)
    return format_html("{}", label)


@register.simple_tag
def id_url(route: str, row_id: str) -> str:
    """The address of the row's page; empty where its id can't stand in one, or where the edge would refuse it."""
    if not NO_SEGMENT.match(row_id):
        with suppress(NoReverseMatch):
            return reverse(route, args=[row_id])
    return ""
