"""How many rows a list has, and what their figures add up to."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db.models import Count, DecimalField, QuerySet, Sum
from rest_framework.exceptions import ValidationError

from sandbox_api.lists.conditions import matches
from sandbox_api.lists.parameters import read_conditions

if TYPE_CHECKING:
    from sandbox_api.lists.spec import ListSpec

OF = "of"
"""The parameter that names the figures, with commas between them."""
_PLACES = 3


def read_totals(*, rows: QuerySet[Any], spec: ListSpec, query: Mapping[str, str]) -> dict[str, Any]:
    """Count the rows, and add up each figure that is asked for.

    :param query: `of`, and what says which rows of the list are meant.
    :returns: `{"total": 2, "sums": {"energyKwh": 41.5, "cost": {"EUR": "19.90"}}}`: money by currency, as decimals in
        strings with cents.
    :raises ValidationError: naming each parameter that is wrong.
    """
    names = tuple(dict.fromkeys(name for name in query.get(OF, "").split(",") if name))
    if not names or not set(names) <= set(spec.sums):
        raise ValidationError({OF: [f"Name some of these, with commas between them: {', '.join(spec.sums)}."]})
    conditions = read_conditions(query=query, spec=spec)
    matching = rows.filter(matches(spec=spec, conditions=conditions)).order_by()
    sums = {name: Sum(spec.sums[name]) for name in names}
    found = list(matching.values_list("currency").annotate(Count("pk"), *sums.values()))
    places = {name: _cents(rows, spec.sums[name]) for name in names}
    totals: dict[str, Any] = {name: 0.0 if places[name] is None else {} for name in names}
    for currency, _, *figures in found:
        for name, figure in zip(names, figures, strict=True):
            cent = places[name]
            if cent is None:
                totals[name] = round(totals[name] + figure, _PLACES)
            else:
                # SQLite sums in binary: the cents come back with rounding.
                totals[name][currency] = str(Decimal(figure).quantize(cent))
    return {"total": sum(count for _, count, *_ in found), "sums": totals}


def _cents(rows: QuerySet[Any], column: str) -> Decimal | None:
    """The least step of money; None for any other figure."""
    field = rows.model._meta.get_field(column)  # noqa: SLF001 - Django's documented API
    return Decimal(1).scaleb(-(field.decimal_places or 0)) if isinstance(field, DecimalField) else None
