"""Clients, and the stations, chargers, charging sessions and meters that serve them."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from django.db import models
from django.utils import timezone

from sandbox_api.folding import FoldedField
from sandbox_api.ids import MAX_ID_LENGTH, new_id
from sandbox_api.versions import VersionedModel


def _newest(name: str) -> models.Index:
    return models.Index(fields=["-created_at", "-id"], name=f"{name}_newest")


class ClientManager(models.Manager["Client"]):
    """The clients that are not deleted."""

    def get_queryset(self) -> models.QuerySet[Client]:
        """Leave out the deleted ones."""
        return super().get_queryset().filter(deleted_at__isnull=True)


class Client(VersionedModel):
    """Someone who charges cars, or has them charged.

    One that is deleted is kept, and is nobody's client any more: so nothing that counts or lists has to ask.
    """

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "cli"))
    name = models.CharField(max_length=200)
    email = models.CharField(max_length=254)
    phone = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001 - null on the wire too
    city = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001 - null on the wire too
    created_at = models.DateTimeField(default=timezone.now)
    name_folded = FoldedField(sources=("name",))
    city_folded = FoldedField(sources=("city",))
    searched = FoldedField(sources=("name", "email", "city", "phone"))
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = ClientManager()
    everyone: ClassVar[models.Manager[Client]] = models.Manager()

    class Meta:
        indexes: ClassVar = [
            _newest("client"),
            models.Index(fields=["name_folded", "id"], name="client_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def mark_deleted(self) -> None:
        """Delete it, so that it can be restored. Its charging sessions and invoices stay, without a client."""
        self.deleted_at = timezone.now()
        self.save()
        for rows in (self.charging_sessions, self.invoices):
            rows.update(client=None, former_client=self)

    def restore(self) -> None:
        """Take the deletion back."""
        self.deleted_at = None
        self.save()
        for rows in (self.former_charging_sessions, self.former_invoices):
            rows.update(client=self, former_client=None)


class Station(models.Model):
    """A place with chargers."""

    class Status(models.TextChoices):
        """Whether cars can charge there."""

        ACTIVE = "active"
        MAINTENANCE = "maintenance"
        PLANNED = "planned"

    class Health(models.TextChoices):
        """The worst of what its chargers and meters say."""

        OK = "ok"
        OFFLINE = "offline"
        FAULT = "fault"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "sta"))
    name = models.CharField(max_length=200)
    address = models.CharField(max_length=200)
    city = models.CharField(max_length=100)
    country = models.CharField(max_length=2)
    """ISO 3166-1, two letters."""
    latitude = models.FloatField()
    longitude = models.FloatField()
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.ACTIVE)
    created_at = models.DateTimeField(default=timezone.now)
    name_folded = FoldedField(sources=("name",))
    city_folded = FoldedField(sources=("city",))
    searched = FoldedField(sources=("name", "address", "city"))

    class Meta:
        indexes: ClassVar = [_newest("station")]

    def __str__(self) -> str:
        return self.name


class Charger(models.Model):
    """A charging point of a station."""

    class Connector(models.TextChoices):
        """The plug."""

        TYPE_2 = "type2"
        CCS = "ccs"
        CHADEMO = "chademo"

    class Status(models.TextChoices):
        """What it does right now, in the words of OCPP."""

        AVAILABLE = "available"
        CHARGING = "charging"
        FAULTED = "faulted"
        UNAVAILABLE = "unavailable"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "chg"))
    name = models.CharField(max_length=200)
    """Its label on the ground, such as `Berlin Hauptbahnhof 3`."""
    station = models.ForeignKey(Station, on_delete=models.CASCADE, related_name="chargers")
    model = models.CharField(max_length=100)
    connector = models.CharField(max_length=20, choices=Connector.choices)
    max_power_kw = models.FloatField()
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.AVAILABLE)
    created_at = models.DateTimeField(default=timezone.now)
    name_folded = FoldedField(sources=("name",))
    searched = FoldedField(sources=("name", "model"))

    class Meta:
        indexes: ClassVar = [_newest("charger")]

    def __str__(self) -> str:
        return self.name


class ChargingSession(models.Model):
    """One car at one charger, from plug to unplug."""

    class Status(models.TextChoices):
        """How far it is."""

        ACTIVE = "active"
        COMPLETED = "completed"
        FAILED = "failed"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "ses"))
    reference = models.CharField(max_length=40)
    """As it stands on the receipt."""
    charger = models.ForeignKey(Charger, on_delete=models.CASCADE, related_name="charging_sessions")
    client = models.ForeignKey(
        Client, on_delete=models.SET_NULL, null=True, blank=True, related_name="charging_sessions"
    )
    """`None` where the client was deleted: what was charged stays."""
    former_client = models.ForeignKey(
        Client, on_delete=models.SET_NULL, null=True, blank=True, related_name="former_charging_sessions"
    )
    """The deleted client, which may be restored."""
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    energy_kwh = models.FloatField()
    cost = models.DecimalField(max_digits=10, decimal_places=2)
    currency = models.CharField(max_length=3, default="EUR")
    status = models.CharField(max_length=20, choices=Status.choices)
    created_at = models.DateTimeField(default=timezone.now)
    searched = FoldedField(sources=("reference",))

    class Meta:
        indexes: ClassVar = [
            _newest("charging_session"),
            models.Index(fields=["status", "-created_at", "-id"], name="charging_session_status"),
            models.Index(fields=["started_at", "id"], name="charging_session_started"),
            models.Index(fields=["reference", "id"], name="charging_session_reference"),
            models.Index(fields=["energy_kwh", "id"], name="charging_session_energy"),
            models.Index(fields=["cost", "id"], name="charging_session_cost"),
        ]

    def __str__(self) -> str:
        return self.reference


class Meter(models.Model):
    """A meter that counts what a station draws from the grid."""

    class Status(models.TextChoices):
        """Whether its readings arrive."""

        ONLINE = "online"
        OFFLINE = "offline"

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "met"))
    serial = models.CharField(max_length=40, unique=True)
    station = models.ForeignKey(Station, on_delete=models.CASCADE, related_name="meters")
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.ONLINE)
    last_reading_kwh = models.FloatField(null=True, blank=True)
    last_reading_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    searched = FoldedField(sources=("serial",))

    class Meta:
        indexes: ClassVar = [_newest("meter")]

    def __str__(self) -> str:
        return self.serial


class MeterReading(models.Model):
    """What a meter had counted at a time; it only grows."""

    meter = models.ForeignKey(Meter, on_delete=models.CASCADE, related_name="readings")
    read_at = models.DateTimeField()
    energy_kwh = models.FloatField()

    class Meta:
        ordering: ClassVar = ["read_at"]

    def __str__(self) -> str:
        return f"{self.energy_kwh} kWh at {self.read_at}"
