"""The first rows of a list on another page, in the list's own cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from django.urls import resolve, reverse
from django.utils.translation import gettext_lazy as _

from portal.errors import UsageError
from portal.web.frame import shell_for
from portal.web.templating import render_block
from portal_pages.lists import short_table
from portal_pages.page_names import names_of, shown_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpRequest
    from markupsafe import Markup

    from portal.query import PaginatedResult
    from portal.web.present import LazyText
    from portal.web.request import PortalRequest

#: Rows that a short list shows; the rest is in the list of all of them.
SHORT_LIST_ROWS: Final = 5
NONE_YET: Final = _("Nothing here yet")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortList:
    """A short list as its page shows it.

    :param rows: id to cells.
    :param total: number of all of them; None if the backend does not count them.
    :param url: the list of all of them.
    :param create_url: the form that makes one more; empty for none.
    :param has_failed: the backend did not give them.
    """

    name: str
    title: str
    empty: str
    url: str
    create_url: str = ""
    create_label: str = ""
    columns: Markup | str = ""
    rows: Sequence[tuple[str, Markup]] = ()
    total: int | None = None
    has_failed: bool = False


def short_list(
    request: HttpRequest, route: str, result: PaginatedResult[Any], *, title: LazyText, empty: LazyText = NONE_YET
) -> ShortList:
    """The first rows of a list of this app, as a card: `{{ short_list_card(latest) }}`.

    :param route: name of the list's URL, where "Show all" leads.
    :param result: of the list's hook.
    :raises UsageError: the list is no `ListView`.
    """
    template, given = list_look(route)
    about: dict[str, Any] = {"name": route, "title": str(title), "empty": str(empty), "url": reverse(route)}
    return with_rows(about, result, template=template, given=given, shell=shell_for(cast("PortalRequest", request)))


def with_rows(
    about: Mapping[str, Any],
    result: PaginatedResult[Any],
    *,
    template: str,
    given: Mapping[str, object],
    shell: object,
) -> ShortList:
    """The short list with the rows of a result; or one that says that they could not be loaded.

    :param about: the rest of it.
    :param template: has the blocks `columns` and `row`, which get what is `given`.
    """
    if result.error is not None and not result.pages:
        return ShortList(**about, has_failed=True)
    given = {**given, "shell": shell}
    return ShortList(
        **about,
        columns=render_block(template, "columns", given),
        rows=[
            (each.id, render_block(template, "row", {**given, "row": each}))
            for each in result.data.items[:SHORT_LIST_ROWS]
        ],
        total=result.data.total,
    )


def list_look(route: str, *, of: str = "") -> tuple[str, Mapping[str, object]]:
    """The template of a list's rows, and what it gets.

    :param of: the parameter of a related row to which the list is narrowed: the column that names that row is left out.
    :raises UsageError: the URL is none of a `ListView`.
    """
    view = resolve(reverse(route)).func
    shown, names = shown_row(view), names_of(view)
    if shown is None or names is None:
        raise UsageError(f"{route!r} is no ListView: give the template of its rows")
    left_out = next((each.named_by for each in shown.filters if each.param == of), "")
    return shown.template, {**names.context, **short_table(shown.columns, left_out=left_out), "pages": names}
