"""Filters: what a list can be narrowed to, and what the address says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from portal.config.contract_names import NONE_VALUE
from portal.query import PaginatedQueryHook, QueryHook
from portal.web.present import Badge, LazyText
from portal.web.request import folded, has_controls

#: More or longer values of one filter than anybody chooses are dropped.
MAX_VALUES: Final = 20
MAX_VALUE_CHARS: Final = 100
#: Choices that are listed at most.
MAX_CHOICES: Final = 500

_CAPITAL: Final = re.compile(r"(?=[A-Z])")

#: How many rows have each value of a field, by the field.
ChoiceCounts: TypeAlias = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Filter:
    """One filter of a list, of one of four sorts.

    ::

        Filter("status", _("Status"), choices=STATUSES)                     # chips, each with its number of rows
        Filter("city", _("City"))                                           # a menu of the values that the rows have
        Filter("stationId", _("Station"), named_by="station_name")          # a related row, to which links lead
        Filter("assigneeId", _("Assigned to"), rows=PersonQueries.use_get_people_query)   # a menu of rows, by their ids

    :param param: the list's parameter, by its name on the wire.
    :param choices: the values with their words. Other values of an address are shown, and not sent.
    :param label_of: gives the word for a value, where the choices are what the backend counts.
    :param named_by: of a related row: the attribute in which the list's rows have its name. No control offers it.
    :param record: of a related row: the hook of that row, for its name where no row of the list has it.
    :param rows: the list whose rows are the choices.
    :param none: the word for the rows without a value, which the backend is asked for as `none`.
    :param otherwise: the parameter of the filter in its place, where `rows` or the parameter is not offered.
    """

    param: str
    label: LazyText
    choices: Mapping[Any, LazyText | Badge] | None = None
    label_of: Callable[[str], str] = str
    named_by: str = ""
    record: QueryHook[Any, ...] | None = None
    rows: PaginatedQueryHook[Any, ...] | None = None
    none: LazyText = ""
    otherwise: str = ""

    @property
    def is_related(self) -> bool:
        """Whether it is one of a related row."""
        return self.rows is None and bool(self.named_by or self.record)

    @property
    def is_menu(self) -> bool:
        """Whether its choices are what the backend counts."""
        return self.choices is None and not self.is_related

    @cached_property
    def attribute(self) -> str:
        """The attribute of a row that it is about: that of the field of the same name."""
        return _CAPITAL.sub("_", self.param).lower()

    @cached_property
    def codes(self) -> Mapping[str, LazyText | Badge]:
        """The choices by their text on the wire: an enumeration's own `str` may be its member's name."""
        return {str.__str__(code): word for code, word in (self.choices or {}).items()}

    def sent(self, values: Iterable[str]) -> list[str]:
        """Those of the values that the backend is asked for."""
        return [value for value in values if self.choices is None or value in self.codes]

    def word(self, value: str) -> str:
        """The word for a value; the value itself if there is none."""
        word = self.codes.get(value)
        if word is None:
            return self.label_of(value)
        return str(word.label if isinstance(word, Badge) else word)

    def options(
        self,
        *,
        chosen: Iterable[str],
        counts: Mapping[str, int] | None,
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Option]:
        """The choices: those declared in their order, those that the backend counts in that of their words.

        :param names: what rows are called, by their ids.
        """
        chosen = list(chosen)
        if self.choices is not None:
            values = list(self.codes)
        else:
            known: set[str] = {*chosen, *((counts or {}) if self.rows is None else names.keys() & (counts or names))}
            words = {value: names.get(value) or self.word(value) for value in known}
            values = sorted(known, key=lambda value: (value != NONE_VALUE, folded(words[value]), value))
        return [
            Option(
                value=value,
                label=names.get(value) or self.word(value),
                tone=getattr(self.codes.get(value), "tone", ""),
                count=None if counts is None else counts.get(value, 0),
                is_chosen=value in chosen,
            )
            for value in values[:MAX_CHOICES]
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a filter.

    :param count: how many rows have it; None if that is not known.
    """

    value: str
    label: str
    tone: str
    count: int | None
    is_chosen: bool


def read_values(given: Iterable[str]) -> tuple[str, ...]:
    """The values of one filter in an address: each once, and no more than anybody chooses.

    Empty ones are left out, and so are those with control characters, which no row has.
    """
    values = dict.fromkeys(value.strip() for value in given)
    return tuple(value for value in values if value and len(value) <= MAX_VALUE_CHARS and not has_controls(value))[
        :MAX_VALUES
    ]


def usable_counts(answer: object) -> ChoiceCounts:
    """The numbers of an answer; what is none is left out, since no page depends on them."""
    fields = answer if isinstance(answer, Mapping) else {}
    return {
        field: {value: number for value, number in numbers.items() if value and type(number) is int}
        for field, numbers in fields.items()
        if isinstance(numbers, Mapping)
    }
