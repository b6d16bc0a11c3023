"""Columns that keep what another column of the row means for a sort order; they fill themselves on every save.

A keyset can't pass rows whose sort column is null, and codes sort by their letters, not by what they mean.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    SmallIntegerField = models.SmallIntegerField[int, int]
    DateTimeField = models.DateTimeField[datetime, datetime]
else:
    SmallIntegerField = models.SmallIntegerField  # neither takes parameters when it runs
    DateTimeField = models.DateTimeField

NEVER = datetime(9000, 1, 1, tzinfo=UTC)
"""Later than any time that a row can have, and far enough from the last year that every time zone can show it."""


class RankField(SmallIntegerField):
    """The place of another column's value among `ranks`, from 0; a value that is none of them comes last."""

    def __init__(self, *, source: str, ranks: tuple[str, ...], **options: Any) -> None:
        self.source, self.ranks = source, tuple(ranks)
        options["editable"] = False
        options["default"] = len(self.ranks)
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        """Say how to make this field, for migrations."""
        name, path, arguments, options = super().deconstruct()
        del options["editable"], options["default"]
        return name, path, arguments, {**options, "source": self.source, "ranks": self.ranks}

    def pre_save(self, model_instance: models.Model, add: bool) -> int:  # noqa: ARG002 - Django's signature
        """Compute the rank."""
        value = getattr(model_instance, self.source)
        rank = self.ranks.index(value) if value in self.ranks else len(self.ranks)
        setattr(model_instance, self.attname, rank)
        return rank


class TimeOrNeverField(DateTimeField):
    """Another column's time; `NEVER` where it has none."""

    def __init__(self, *, source: str, **options: Any) -> None:
        self.source = source
        options["editable"] = False
        options["default"] = NEVER
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        """Say how to make this field, for migrations."""
        name, path, arguments, options = super().deconstruct()
        del options["editable"], options["default"]
        return name, path, arguments, {**options, "source": self.source}

    def pre_save(self, model_instance: models.Model, add: bool) -> datetime:  # noqa: ARG002 - Django's signature
        """Compute the time."""
        moment: datetime = getattr(model_instance, self.source) or NEVER
        setattr(model_instance, self.attname, moment)
        return moment
