"""The reads of one page of a list: its rows, counts for its filters, its sums, and names of related rows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpRequest, QueryDict

from portal.config.contract_names import COUNTS_BY_PARAM, CURSOR_PARAM, NONE_VALUE, SORT_PARAM
from portal.errors import ApiValidationError
from portal.query import PaginatedResult, Params, QueryResult, QuerySpec, offers, use_queries
from portal.web.present import is_not_there
from portal_pages.lists.controls import ListControls


def read_list(
    view: Any, request: HttpRequest, controls: ListControls, values: Mapping[str, Any], *, is_whole: bool
) -> tuple[PaginatedResult[Any], QueryResult[Any] | None, QueryResult[Any] | None]:
    """The list, and at the same time the numbers beside its filters and its sums, without which the page does as well.

    The choices of a menu are asked for when it is open: most are never opened, and each search has others.

    :param view: the `ListView`, whose module is above this one.
    :param values: further parameters of its hook.
    :param is_whole: whether the page shows more than rows.
    """
    params = {**controls.params, **by_wire_names(view.hook.params, values)}
    given = {name: value for name, value in params.items() if name != SORT_PARAM}
    pages = {"cursor": controls.cursor} if controls.cursor else {"pages": controls.pages}
    counted = ",".join(
        each.param
        for each, _ in controls.values
        if each.choices is not None or (each.param == controls.menu and each.is_menu)
    )
    beside: dict[str, QuerySpec[Any]] = {}
    if is_whole and counted and view.counts is not None and offers(view.counts):
        beside["counts"] = view.counts.spec({**given, COUNTS_BY_PARAM: counted})
    if is_whole and view.totals is not None and offers(view.totals.hook):
        beside["totals"] = view.totals.spec(view.hook.item, given)
    if not beside:
        return view.hook(request, params, **pages), None, None
    result, *others = use_queries(request, [view.hook.spec(params, **pages), *beside.values()])
    found = dict(zip(beside, others, strict=True))
    return result, found.get("counts"), found.get("totals")


def selected_rows(view: Any, request: HttpRequest, record: Any, ids: Sequence[str], *, listed: str) -> list[Any]:
    """The rows with these ids: from the list in which they were selected, as it is cached, else read one by one.

    :param view: as above.
    :param record: the hook of one row.
    :param listed: the parameters of that list's address.
    :raises portal.errors.ApiError: one of them can't be read now.
    """
    controls = view.controls(QueryDict(listed))
    found = {row.id: row for row in view.hook(request, controls.params, pages=controls.pages).data.items}
    missing = [row_id for row_id in ids if row_id not in found]
    answers = use_queries(request, [record.spec(id=row_id) for row_id in missing]) if missing else ()
    found |= {
        row_id: answer.unwrap() for row_id, answer in zip(missing, answers, strict=True) if not is_not_there(answer)
    }
    return [found[row_id] for row_id in ids if row_id in found]


def by_wire_names(params: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of a hook by their names on the wire."""
    if not values or not (isinstance(params, type) and issubclass(params, Params)):
        return dict(values)
    wire = dict(zip(params.__struct_fields__, params.__struct_encode_fields__, strict=True))
    return {wire.get(name, name): value for name, value in values.items()}


def is_stale(result: PaginatedResult[Any], controls: ListControls) -> bool:
    """Whether the backend does not know the cursor: it gave it for another order, or long ago."""
    return (
        isinstance(result.error, ApiValidationError)
        and set(result.error.errors) <= {CURSOR_PARAM}
        and bool(controls.cursor)
    )


#: Related rows that are read for their names, and pages of the rows of a menu.
_MAX_READ: Final = 3
_PAGES_OF_A_MENU: Final = 5


def names_of(request: HttpRequest, controls: ListControls, result: PaginatedResult[Any]) -> dict[tuple[str, str], str]:
    """The names by parameter and id: from the rows that are shown, or else from the related row itself.

    Those of the rows of a menu come from their list, whose first pages are read.
    """
    names: dict[tuple[str, str], str] = {}
    for each, values in controls.values:
        if each.rows is not None and (values or each.param == controls.menu):
            people = each.rows(request, pages=_PAGES_OF_A_MENU).data.items
            names |= {(each.param, row.id): str(row) for row in people} | {(each.param, NONE_VALUE): str(each.none)}
        if not each.named_by and each.record is None:
            continue
        attribute = each.attribute
        for value in (value for value in values if (each.param, value) not in names):
            rows = (row for row in result.data.items if getattr(row, attribute, None) == value)
            found = (getattr(row, each.named_by, "") for row in rows)
            name = next(filter(None, found), "") if each.named_by else ""
            if not name and each.record is not None and len(names) < _MAX_READ:
                related = each.record(request, id=value).data
                name = str(related) if related is not None else ""
            names[each.param, value] = str(name)
    return names
