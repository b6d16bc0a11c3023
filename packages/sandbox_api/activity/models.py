"""Entries of the history of rows."""

from functools import partial
from typing import ClassVar

from django.db import models
from django.utils import timezone

from sandbox_api.ids import MAX_ID_LENGTH, new_id


class Activity(models.Model):
    """Something that was done with a row, or a note on it."""

    class Kind(models.TextChoices):
        """What was done."""

        CREATED = "created"
        CHANGED = "changed"
        DELETED = "deleted"
        RESTORED = "restored"
        NOTE = "note"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "act"))
    row_id = models.CharField(max_length=MAX_ID_LENGTH)
    """Ids are unique across all kinds of rows."""
    kind = models.CharField(max_length=20, choices=Kind.choices)
    account_id = models.CharField(max_length=MAX_ID_LENGTH, null=True, blank=True)  # noqa: DJ001 - null on the wire too
    """No foreign key: what somebody did stays said when the account is gone."""
    account_name = models.CharField(max_length=200)
    changes = models.JSONField(default=list)
    """`[{"field", "before", "after"}]`, as they stand on the wire."""
    text = models.TextField(default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "activity"
        indexes: ClassVar = [models.Index(fields=["row_id", "-created_at", "-id"], name="activity_of_row")]

    def __str__(self) -> str:
        return f"{self.account_name}: {self.kind}"
