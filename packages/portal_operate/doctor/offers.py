"""Look for the optional calls and parameters at a running backend: each call that reads is made with a user's token.

Operators run it (`doctor`, `check_services --live`), and never a user's request. The calls pass the cache and the
declaration, and nothing is written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from portal.config.contract_names import (
    COUNTS_SEGMENT,
    CREATED_AT_FIELD,
    OF_A_LIST,
    SEARCH_PARAM,
    SORT_NEWEST_FIRST,
    SORT_OLDEST_FIRST,
    SORT_PARAM,
)
from portal.errors import ApiError
from portal.query import (
    NO_CALL,
    BackendCaller,
    DeclaredList,
    DeclaredQuery,
    Endpoint,
    field_types,
    optional_names,
    walk_list,
)

#: In a path: one row of the list before it.
_ROW: Final = "/{"
#: Rows of a list that are looked at.
_ROWS: Final = 50


class Probed(NamedTuple):
    """One name of a declaration, or the key of a required call, and what the backend said.

    :param is_there: None where it can't be told.
    """

    name: str
    endpoint: Endpoint[Any]
    is_there: bool | None
    seen: str = ""

    @property
    def line(self) -> str:
        """The line of a declaration; empty for what is not there."""
        return f"# {self.name}  # {self.seen}" if self.is_there is None else self.name if self.is_there else ""

    @property
    def is_optional(self) -> bool:
        """A declaration of offers can have the name."""
        return self.endpoint.optional or self.name != self.endpoint.key


def write_offers(names: Iterable[str], file: Path) -> None:
    """Write a file for `APP_BACKEND_OFFERS`. A name after `#` is not told."""
    lines = ["# What the backend offers beyond the required calls.", *sorted(names, key=lambda name: name.strip("# "))]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


class _List(NamedTuple):
    rows: list[dict[str, Any]]
    total: int | None

    @property
    def ids(self) -> list[Any]:
        """Ids of the rows: all else may change between two calls."""
        return [row.get("id") for row in self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The calls of one look at a backend."""

    caller: BackendCaller

    def look(self, endpoints: Iterable[Endpoint[Any]]) -> Iterator[Probed]:
        """Try each call that reads, lists first, since their rows give the ids for the others. No write is tried."""
        found: dict[str, _List] = {}
        lists: dict[str, DeclaredList[Any, Any]] = {}
        for endpoint in sorted(endpoints, key=_place):
            names, path = {endpoint.key: None, **dict.fromkeys(optional_names(endpoint))}, endpoint.path_shape
            answer: Any = None
            is_there, seen = None, ""
            params = _params_of(endpoint, lists, found)
            if not isinstance(endpoint, DeclaredQuery):
                seen = "a write, not tried"
            elif params is None:
                seen = "no row is known, or its list is not there"
            else:
                try:
                    answer = self._read(endpoint, params)
                    is_there = True
                except ApiError as error:
                    seen = f"answered {error.status}" if error.status else f"no usable answer ({type(error).__name__})"
                    is_there = False if error.status in NO_CALL else None
            if is_there and isinstance(endpoint, DeclaredList) and _ROW not in path:
                found[path], lists[path] = answer, endpoint
                yield Probed(endpoint.key, endpoint, True)
                yield from (each for each in self._look_at_params(endpoint, answer) if each.name in names)
            else:
                yield from (Probed(each, endpoint, is_there, seen) for each in names)

    def _read(self, endpoint: DeclaredQuery[Any], params: Mapping[str, Any]) -> Any:
        """Return the answer; of a list its first rows.

        :raises ApiError: there is none that can be used.
        """
        hook: Any = endpoint
        request = hook.spec(params).query
        if not isinstance(endpoint, DeclaredList):
            return self.caller.read(request.address())
        first = next(islice(walk_list(request, caller=self.caller, page_rows=_ROWS), 1))
        return _List(*first)

    def _rows(self, endpoint: DeclaredList[Any, Any], params: Mapping[str, Any]) -> _List | None:
        try:
            found: _List = self._read(endpoint, params)
        except ApiError:
            return None
        return found

    def _look_at_params(self, hook: DeclaredList[Any, Any], bare: _List) -> Iterator[Probed]:
        """Try filters, search, order and total. A parameter that changes nothing is taken for one that is not there."""
        totals: list[bool] = []
        asked = {name: _telling_value([row.get(one.field) for row in bare.rows]) for name, one in hook.filters.items()}
        for name, value in {**asked, SEARCH_PARAM: _telling_text(hook, bare.rows)}.items():
            seen = None if value is None else self._rows(hook, {name: value})
            has_narrowed = None if value is None else seen is not None and bool(seen.rows) and seen.ids != bare.ids
            yield _told(f"{hook.key}?{name}", hook, has_narrowed, "changes nothing")
            if seen is not None and has_narrowed:
                totals.append(seen.total is not None and (bare.total is None or seen.total < bare.total))
        yield _told(f"{hook.key}?{SORT_PARAM}", hook, self._sorts(hook, bare), "does not turn the list")
        yield _told(f"{hook.key}:total", hook, all(totals) if totals else None, "does not follow a filter")

    def _sorts(self, hook: DeclaredList[Any, Any], bare: _List) -> bool | None:
        """Return whether both directions differ; None where the rows can't tell."""
        if len({row.get(CREATED_AT_FIELD) for row in bare.rows}) <= 1:
            return None
        newest, oldest = (self._rows(hook, {SORT_PARAM: sort}) for sort in (SORT_NEWEST_FIRST, SORT_OLDEST_FIRST))
        return newest is not None and oldest is not None and newest.ids != oldest.ids


def _told(name: str, hook: Endpoint[Any], is_there: bool | None, otherwise: str) -> Probed:
    return Probed(name, hook, is_there, "" if is_there else "the rows do not tell" if is_there is None else otherwise)


def _place(endpoint: Endpoint[Any]) -> tuple[bool, bool, bool]:
    is_read = isinstance(endpoint, DeclaredQuery)
    return not is_read, _ROW in endpoint.path_shape, not getattr(endpoint, "is_list", False)


def _params_of(endpoint: Endpoint[Any], lists: Mapping[str, Any], found: Mapping[str, _List]) -> dict[str, Any] | None:
    """Return the parameters that a call needs; None where no row or list is known that gives them."""
    path = endpoint.path_shape
    base, _, ending = path.rpartition("/")
    if _ROW in path:
        of = found.get(path.partition(_ROW)[0])
        return {path.partition("{")[2].partition("}")[0]: str(of.rows[0].get("id"))} if of and of.rows else None
    if ending in OF_A_LIST:
        return {OF_A_LIST[ending]: _first_field(lists[base], ending)} if base in lists else None
    return {}


def _telling_value(values: Sequence[Any]) -> str | None:
    """The greatest of the values, if some row has it, and another row has another one; None if no value tells.

    Of a time it tells for both ends of a range: `…From` leaves out what is earlier, and `…To` that row itself.
    """
    texts = {value for value in values if isinstance(value, str) and value}
    return max(texts) if len(texts) > 1 else None


def _telling_text(hook: Any, rows: list[dict[str, Any]]) -> str | None:
    """The name of the first row, to search for; None where other rows have it too, or rows have no names."""
    decode = hook.spec().query.decode
    names = [str(row) for row in decode(rows)] if decode and len(rows) > 1 else []
    return names[0] if names.count(next(iter(names), "")) == 1 and names[0] != str(rows[0].get("id")) else None


def _first_field(hook: Any, ending: str) -> str:
    """A field by which the rows of a list can be counted, or whose values can be added up; empty for none."""
    if ending == COUNTS_SEGMENT:
        return next(iter(sorted(hook.filters, key=lambda name: hook.filters[name].members is None)), "")
    fields = field_types(hook.item).items()
    return next((wire for wire, info in fields if {Decimal, float} & {info.type, *get_args(info.type)}), "")
