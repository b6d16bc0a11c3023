"""One page of a list, as its templates show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from portal_pages.lists.columns import Heading
    from portal_pages.lists.controls import ListControls
    from portal_pages.lists.list_filters import ShownFilters


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One page of a list, as its templates show it.

    :param headings: of the columns.
    :param sorts: the sort orders of the menu, each with its label.
    :param is_searchable: whether the backend searches the list.
    :param not_known: what people call those parameters of the address that the backend did not follow. Only rows that
        fit are among `rows`.
    :param total: number of all rows that match; None if the backend does not count them.
    :param first_path: the list without parameters.
    :param first_url: the first page of this state.
    :param next_url: the next page; empty at the end.
    :param more_url: the same for htmx, which appends its rows: it says how many pages are shown then.
    :param is_restarted: the address named a place that the backend does not know any more, so this is the first page.
    :param is_outage: the backend did not answer, and the rows are older, cached ones.
    :param as_of: when the rows were fetched.
    :param is_fragment: only the table is rendered, for htmx.
    :param is_appended: of that table, htmx uses the rows only.
    """

    title: str
    search_hint: str
    headings: Sequence[Heading]
    sorts: Sequence[tuple[str, str]]
    is_searchable: bool
    not_known: Sequence[str]
    rows: Sequence[object]
    total: int | None
    q: str
    sort: str
    filters: ShownFilters
    controls: ListControls
    first_path: str
    first_url: str
    next_url: str
    more_url: str
    is_continuation: bool
    is_restarted: bool
    is_outage: bool
    as_of: datetime | None
    is_fragment: bool
    is_appended: bool

    @property
    def is_narrowed(self) -> bool:
        """Whether there are rows that a search or a filter leaves out."""
        return bool(self.q or self.filters.clear_url)

    def url_of(self, param: str, value: str) -> str:
        """The first page with one value of a filter, in place of those that it has."""
        return self.controls.narrowed_to(param, value).url(self.first_path)

    def sorted_url(self, sort: str) -> str:
        """The first page in another order."""
        return self.controls.sorted_by(sort).url(self.first_path)
