"""What a list makes of its parameters: each one is asked with a value that some rows have, and others have not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.config.contract_names import (
    CREATED_AT_FIELD,
    ITEMS_FIELD,
    NOBODYS_WORD,
    SORT_NEWEST_FIRST,
    SORT_OLDEST_FIRST,
)
from portal.operate.doctor.findings import ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from portal.operate.doctor.findings import Finding
    from portal.query import PaginatedRes, QueryClient


def look_at_parameters(hook: Any, client: QueryClient, rows: PaginatedRes[Any]) -> Iterator[Finding]:
    """Filters, ranges, search and sort of one list.

    :param hook: the list's.
    :param rows: the list without parameters.
    """
    bodies = _bodies(rows)
    subject = f"GET {hook.path_shape} parameters"
    honoured: list[str] = []
    ignored: list[str] = []
    untold: list[str] = []
    for name, one in hook.filters.items():
        value = _telling_value([body.get(one.field) for body in bodies])
        if value is None:
            untold.append(name)
            continue
        result = hook(client, {name: value})
        # Some row of the list without parameters contradicts the value: the same rows say that nothing was filtered.
        is_same = result.error is None and (_bodies(result.data) == bodies or name in result.data.ignored)
        (ignored if result.error is not None or is_same else honoured).append(name)
    if bodies:
        (honoured if _searches(hook, client) else ignored).append("q")
    sorts = _sorts(hook, client, bodies)
    (untold if sorts is None else honoured if sorts else ignored).append("sort")
    if ignored:
        seen = f"not honoured: {', '.join(ignored)}. Pages then offer no search, no filter and no related rows by these"
        yield warning(subject, seen, "nothing, if users can do without; else the backend should take them")
    if honoured:
        yield ok(subject, f"honoured: {', '.join(honoured)}")
    if untold:
        yield ok(subject, f"not told by the rows that are there: {', '.join(untold)}")


def _telling_value(values: Sequence[Any]) -> str | None:
    """The greatest of the values, if some row has it, and another row has another one; None if no value tells.

    Of a time it tells for both ends of a range: `…From` leaves out what is earlier, and `…To` that row itself.
    """
    texts = {value for value in values if isinstance(value, str) and value}
    return max(texts) if len(texts) > 1 else None


def _searches(hook: Any, client: QueryClient) -> bool:
    result = hook(client, {"q": NOBODYS_WORD})
    return result.error is None and not _bodies(result.data) and "q" not in result.data.ignored


def _sorts(hook: Any, client: QueryClient, bodies: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether both directions differ; None where the rows can't tell."""
    if len({body.get(CREATED_AT_FIELD) for body in bodies}) <= 1:
        return None
    turned = [hook(client, {"sort": sort}) for sort in (SORT_NEWEST_FIRST, SORT_OLDEST_FIRST)]
    if any(result.error is not None for result in turned):
        return False
    first, second = (_bodies(result.data) for result in turned)
    return first != second


def _bodies(rows: PaginatedRes[Any]) -> list[Any]:
    """The rows as the backend gave them."""
    return [row for page in rows.raw_res for row in page[ITEMS_FIELD]]
