"""How many rows of a list have each value of a field, for a choice of filters."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Field, QuerySet
from rest_framework.exceptions import ValidationError

from sandbox_api.lists.conditions import matches
from sandbox_api.lists.parameters import Conditions, read_conditions
from sandbox_api.lists.spec import NONE, ListSpec

BY = "by"
"""The parameter that names the fields, with commas between them."""


def read_counts(*, rows: QuerySet[Any], spec: ListSpec, query: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Count the rows by each field that is asked for. A field's own filter does not matter to its counts.

    :param query: `by`, and what says which rows of the list are counted.
    :returns: field to value to count. Values of an enumeration that no row has are there too, with zero; rows without
        a value are counted as `none` where the filter knows that word, else not at all.
    :raises ValidationError: naming each parameter that is wrong.
    """
    names = tuple(dict.fromkeys(name for name in query.get(BY, "").split(",") if name))
    if not names or not set(names) <= set(spec.filter_names):
        raise ValidationError({BY: [f"Name some of these, with commas between them: {', '.join(spec.filter_names)}."]})
    conditions = read_conditions(query=query, spec=spec)
    return {name: _count(rows, spec, conditions, name) for name in names}


def _count(rows: QuerySet[Any], spec: ListSpec, conditions: Conditions, name: str) -> dict[str, int]:
    column = spec.members.get(name) or spec.filters[name]
    matching = rows.filter(matches(spec=spec, conditions=conditions, without=name))
    if name not in spec.nullable:
        matching = matching.filter(**{f"{column}__isnull": False})
    # Distinct: a list may join what its rows have several of.
    found = matching.order_by().values_list(column).annotate(Count("pk", distinct=True))
    if name in spec.members:
        counted: Counter[str] = Counter()
        for codes, count in found:
            counted.update(dict.fromkeys(codes, count))
        return dict(counted)
    named = {value or NONE: count for value, count in found} if name in spec.nullable else dict(found)
    return dict.fromkeys(_choices(rows, column), 0) | named


def _choices(rows: QuerySet[Any], column: str) -> tuple[str, ...]:
    """The values of an enumeration, also of one that the database works out; none of any other column."""
    names = {field.attname: field for field in rows.model._meta.get_fields() if isinstance(field, Field)}  # noqa: SLF001 - Django's documented API
    made = rows.query.annotations.get(column)
    field = names.get(column) if made is None else made.output_field
    return tuple(value for value, _ in (field.choices or ())) if field is not None else ()
