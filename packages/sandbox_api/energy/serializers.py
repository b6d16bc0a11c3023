"""How the rows of the energy platform stand on the wire."""

from typing import Any

from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
from sandbox_api.texts import LineField, PhoneField


class ClientSerializer(CamelCaseSerializer[Client]):
    """A client, in answers and (but for `id`, `createdAt` and `version`) in requests."""

    name = LineField(max_length=200)
    email = serializers.EmailField(max_length=254)
    phone = PhoneField(required=False, allow_null=True)
    city = LineField(max_length=100, required=False, allow_null=True)

    class Meta:
        model = Client
        fields = ("id", "name", "email", "phone", "city", "created_at", "version")
        read_only_fields = ("id", "created_at", "version")


class StationSerializer(CamelCaseSerializer[Station]):
    """A station, with how its chargers and meters are."""

    charger_count = serializers.IntegerField(read_only=True)
    health = serializers.ChoiceField(choices=Station.Health.choices, read_only=True)
    faulted_chargers = serializers.IntegerField(read_only=True)
    offline_meters = serializers.IntegerField(read_only=True)

    class Meta:
        model = Station
        fields = (
            "id",
            "name",
            "address",
            "city",
            "country",
            "latitude",
            "longitude",
            "status",
            "charger_count",
            "health",
            "faulted_chargers",
            "offline_meters",
            "created_at",
        )


class StationPositionSerializer(CamelCaseSerializer[Station]):
    """Where a station is, and how it is."""

    health = serializers.ChoiceField(choices=Station.Health.choices, read_only=True)

    class Meta:
        model = Station
        fields = ("id", "name", "city", "latitude", "longitude", "status", "health")


class StationPositionsSerializer(serializers.Serializer[Any]):
    """Where all stations are."""

    stations = StationPositionSerializer(many=True)


class ChargerSerializer(CamelCaseSerializer[Charger]):
    """A charger, with the name of its station."""

    station_id = serializers.CharField(read_only=True)
    station_name = serializers.CharField(source="station.name", read_only=True)

    class Meta:
        model = Charger
        fields = (
            "id",
            "name",
            "station_id",
            "station_name",
            "model",
            "connector",
            "max_power_kw",
            "status",
            "created_at",
        )


class ChargingSessionSerializer(CamelCaseSerializer[ChargingSession]):
    """A charging session, with the names of what it points to. `cost` is a decimal in a string."""

    charger_id = serializers.CharField(read_only=True)
    charger_name = serializers.CharField(source="charger.name", read_only=True)
    station_id = serializers.CharField(source="charger.station_id", read_only=True)
    station_name = serializers.CharField(source="charger.station.name", read_only=True)
    client_id = serializers.CharField(read_only=True, allow_null=True)
    client_name = serializers.CharField(source="client.name", read_only=True, allow_null=True, default=None)

    class Meta:
        model = ChargingSession
        fields = (
            "id",
            "reference",
            "charger_id",
            "charger_name",
            "station_id",
            "station_name",
            "client_id",
            "client_name",
            "started_at",
            "ended_at",
            "energy_kwh",
            "cost",
            "currency",
            "status",
            "created_at",
        )


class MeterReadingSerializer(CamelCaseSerializer[MeterReading]):
    """One reading."""

    class Meta:
        model = MeterReading
        fields = ("read_at", "energy_kwh")


class MeterSerializer(CamelCaseSerializer[Meter]):
    """A meter, with its last reading."""

    station_id = serializers.CharField(read_only=True)
    station_name = serializers.CharField(source="station.name", read_only=True)

    class Meta:
        model = Meter
        fields: tuple[str, ...] = (
            "id",
            "serial",
            "station_id",
            "station_name",
            "status",
            "last_reading_kwh",
            "last_reading_at",
            "created_at",
        )


class MeterDetailSerializer(MeterSerializer):
    """A meter with all its readings, oldest first."""

    readings = MeterReadingSerializer(many=True, read_only=True)

    class Meta(MeterSerializer.Meta):
        fields = (*MeterSerializer.Meta.fields, "readings")
