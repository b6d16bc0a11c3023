"""Totals: what the figures of all rows of a list add up to, whatever part of it is shown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from django.utils.translation import gettext

from portal.config.contract_names import TOTALS_OF_PARAM
from portal.query import QueryHook, QueryResult, QuerySpec, RowTotals, field_types
from portal.web.present import money_text, number_text, quantity_text
from portal_pages.lists.columns import Heading

#: How a sum is written.
SumFormat = Literal["kwh", "money", "quantity"]


@dataclass(frozen=True, eq=False)
class Totals:
    """The sums of a list: `Totals(InvoiceQueries.use_get_invoices_totals_query, {"amount": "money"})`.

    :param hook: gives them.
    :param sums: the attributes of a row that are added up, each with how its sum is written.
    """

    hook: QueryHook[RowTotals, ...]
    sums: Mapping[str, SumFormat]

    def spec(self, item: Any, params: Mapping[str, Any]) -> QuerySpec[QueryResult[RowTotals]]:
        """The call.

        :param item: class of a row.
        :param params: those of the list, by their names on the wire.
        """
        return self.hook.spec({**params, TOTALS_OF_PARAM: ",".join(self._wire_names(item).values())})

    def texts(self, item: Any, result: QueryResult[RowTotals] | None, *, total: int | None) -> dict[str, list[str]]:
        """The sums by attribute: money has one for each currency. None of one row.

        :param total: how many rows the list certainly has. Sums of another number of rows may be those of another list.
        """
        data = None if result is None else result.data
        if data is None or total in {None, 0, 1} or data.total != total:
            return {}
        found = {
            name: list(_texts(data.sums.get(wire), self.sums[name])) for name, wire in self._wire_names(item).items()
        }
        return {name: texts for name, texts in found.items() if texts}

    def _wire_names(self, item: Any) -> dict[str, str]:
        return {info.name: wire for wire, info in field_types(item).items() if info.name in self.sums}


def _texts(found: object, how: SumFormat) -> Iterator[str]:
    if how == "money":
        for currency, amount in found.items() if isinstance(found, dict) else ():
            try:
                yield money_text(Decimal(amount), currency=currency)
            except (InvalidOperation, TypeError, ValueError):
                continue
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield quantity_text(found, "kWh", places=1) if how == "kwh" else number_text(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsRow:
    """The last row of a list's table.

    :param span: of how many columns the label takes the place.
    :param cells: of the other columns, each with its sums.
    """

    label: str
    span: int
    cells: Sequence[tuple[Heading, Sequence[str]]]


def totals_row(texts: Mapping[str, Sequence[str]], headings: Sequence[Heading], total: int | None) -> TotalsRow | None:
    """The row below these columns; None without a sum.

    :param texts: the sums by the names of columns.
    """
    first = next((place for place, heading in enumerate(headings) if heading.name in texts), 0)
    if not first:
        return None
    # A narrow window hides what is extra, in this row as in the others: the label may not span it.
    extra = [heading for heading in headings[:first] if heading.kind == "extra"]
    return TotalsRow(
        label=gettext("Sum of all %(total)s") % {"total": number_text(total)},
        span=first - len(extra),
        cells=[(heading, texts.get(heading.name, ())) for heading in (*extra, *headings[first:])],
    )
