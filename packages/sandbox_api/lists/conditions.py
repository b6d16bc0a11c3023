"""Which rows of a list match, as a condition for the database."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.db.models.lookups import Contains

from sandbox_api.lists.spec import NONE, ListSpec

if TYPE_CHECKING:
    from sandbox_api.lists.parameters import Conditions


def matches(*, spec: ListSpec, conditions: Conditions, without: str | None = None) -> Q:
    """Give the condition.

    :param without: the filter, by its name on the wire, that is left out.
    """
    condition = Q()
    for name, values in conditions.filters.items():
        if name == without:
            continue
        if name in spec.members:
            condition &= has_one_of(spec.members[name], values)
        else:
            condition &= _is_one_of(spec.filters[name], values, may_be_null=name in spec.nullable)
    for name, moment in conditions.since.items():
        condition &= Q(**{f"{spec.ranges[name]}__gte": moment})
    for name, moment in conditions.before.items():
        condition &= Q(**{f"{spec.ranges[name]}__lt": moment})
    for word in conditions.words:
        has_word = Q(pk=word)
        for column in spec.searched:
            has_word |= Q(**{f"{column}__contains": word})
        condition &= has_word
    return condition


def _is_one_of(column: str, values: Iterable[str], *, may_be_null: bool) -> Q:
    condition = Q(**{f"{column}__in": values})
    return condition | Q(**{f"{column}__isnull": True}) if may_be_null and NONE in values else condition


def has_one_of(column: str, codes: Iterable[str]) -> Q:
    """The rows whose list has one of the codes.

    Of the JSON's text, which SQLite and PostgreSQL write alike: a code in quotes is no part of another one.
    """
    condition = Q()
    for code in codes:
        condition |= Q(Contains(Cast(column, TextField()), json.dumps(code)))
    return condition
