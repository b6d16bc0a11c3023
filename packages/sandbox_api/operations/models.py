"""Work orders."""

from functools import partial
from typing import Any, ClassVar

from django.db import models
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from sandbox_api.auth.models import Account
from sandbox_api.auth.permissions import OPERATIONS_APP
from sandbox_api.columns import RankField, TimeOrNeverField
from sandbox_api.energy.models import Charger, Station
from sandbox_api.folding import FoldedField
from sandbox_api.ids import MAX_ID_LENGTH, new_id
from sandbox_api.lists.conditions import has_one_of
from sandbox_api.versions import VersionedModel


class WorkOrder(VersionedModel):
    """Something that someone has to do, mostly at a station."""

    class Status(models.TextChoices):
        """How far it is. Every status can follow every other: orders are reopened."""

        OPEN = "open"
        IN_PROGRESS = "in_progress"
        DONE = "done"
        CANCELLED = "cancelled"

    class Priority(models.TextChoices):
        """How soon."""

        LOW = "low"
        NORMAL = "normal"
        HIGH = "high"
        URGENT = "urgent"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "wor"))
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    station = models.ForeignKey(Station, on_delete=models.SET_NULL, null=True, blank=True, related_name="work_orders")
    charger = models.ForeignKey(Charger, on_delete=models.SET_NULL, null=True, blank=True, related_name="work_orders")
    """One of the station's."""
    priority = models.CharField(max_length=20, choices=Priority.choices)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.OPEN)
    assignee = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null on the wire too
    """The name of the person, or whatever a caller has written that knows no people."""
    person = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="work_orders")
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(null=True, blank=True)
    """When it is to be done at the latest."""
    completed_at = models.DateTimeField(null=True, blank=True)
    """Set while the status is `done`."""
    title_folded = FoldedField(sources=("title",))
    due_or_never = TimeOrNeverField(source="due_at")
    priority_rank = RankField(source="priority", ranks=tuple(Priority.values))
    status_rank = RankField(source="status", ranks=tuple(Status.values))
    searched = FoldedField(sources=("title", "assignee"))

    class Meta:
        indexes: ClassVar = [models.Index(fields=["-created_at", "-id"], name="work_order_newest")]

    def __str__(self) -> str:
        return self.title


UNFINISHED = (WorkOrder.Status.OPEN, WorkOrder.Status.IN_PROGRESS)


def people() -> models.QuerySet[Account]:
    """Those to whom a work order can be assigned: who may open the platform."""
    return Account.objects.filter(has_one_of("permissions", [OPERATIONS_APP]))


@receiver(post_save, sender=Account)
def call_by_the_new_name(instance: Account, **_signal: Any) -> None:
    """Write a person's new name into their work orders, which are found and filtered by it."""
    for order in WorkOrder.objects.filter(person=instance).exclude(assignee=instance.name):
        order.assignee = instance.name
        order.save()
