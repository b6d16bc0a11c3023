"""What a resource's list can be sorted, searched and filtered by: data, beside the resource's views."""

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_SORT = "-createdAt"
FROM_SUFFIX = "From"
"""Of the parameter with the first moment of a range."""
TO_SUFFIX = "To"
"""Of the parameter with the first moment after a range."""
NONE = "none"
"""The value of a filter that stands for rows without any."""
DEFAULT_LIMIT = 20
MAX_LIMIT = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ListSpec:
    """The options of one list."""

    resource: str
    """Its name, in snake_case; a cursor of one resource is not accepted by another."""
    sorts: Mapping[str, str]
    """Name on the wire to column. Columns that may be null can't be sorted by: a keyset can't pass them."""
    searched: tuple[str, ...]
    """Folded columns, also of related rows, that `q` is looked for in. An exact id finds its row everywhere."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """Name on the wire to column, for exact matches with one of several values."""
    nullable: tuple[str, ...] = ()
    """Those of these names for which `none` finds the rows without a value, and counts them."""
    members: Mapping[str, str] = field(default_factory=dict)
    """Name on the wire to a column with a list of codes, as JSON; a row has one of several values among them."""
    ranges: Mapping[str, str] = field(default_factory=dict)
    """Name on the wire to a column with a time: `<name>From` and `<name>To` limit it."""
    sums: Mapping[str, str] = field(default_factory=dict)
    """Name on the wire to a column whose values are added up. Decimals are money, in the row's `currency`."""

    @property
    def filter_names(self) -> tuple[str, ...]:
        """The filters of both sorts, by their names on the wire."""
        return *self.filters, *self.members


@dataclass(frozen=True, kw_only=True, slots=True)
class SortOrder:
    """A sort order: the column, then the id, both in one direction."""

    name: str
    """As it stands in the query, `-createdAt` say."""
    column: str
    descending: bool

    @property
    def order_by(self) -> tuple[str, str]:
        """What Django orders by. The id makes the order total, so that no two rows share a position."""
        sign = "-" if self.descending else ""
        return f"{sign}{self.column}", f"{sign}id"
