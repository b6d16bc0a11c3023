"""Stations, their chargers, and their meters with readings."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sandbox_api.energy.models import Charger, Meter, MeterReading, Station
from sandbox_api.seed.dice import Dice
from sandbox_api.seed.places import CITIES, COUNTRIES

STATION_COUNT = 160
CHARGER_COUNT = 640
METER_COUNT = 400
READINGS_PER_METER = 30
_HISTORY = timedelta(days=4 * 365)
_KM_PER_DEGREE = 111.0
_WEEKEND = (5, 6)

# model, connector, kW, how common
_MODELS = (
    ("Alfen Eve Double Pro", Charger.Connector.TYPE_2, 22.0, 30),
    ("Mennekes Amtron 4You", Charger.Connector.TYPE_2, 11.0, 18),
    ("ABB Terra 54", Charger.Connector.CCS, 50.0, 14),
    ("ABB Terra 54 CJ", Charger.Connector.CHADEMO, 50.0, 5),
    ("Alpitronic HYC150", Charger.Connector.CCS, 150.0, 18),
    ("Alpitronic HYC300", Charger.Connector.CCS, 300.0, 10),
    ("Kempower Satellite", Charger.Connector.CCS, 240.0, 5),
)
_STATION_STATUS = {Station.Status.ACTIVE: 90, Station.Status.MAINTENANCE: 6, Station.Status.PLANNED: 4}
_CHARGER_STATUS = {
    Charger.Status.AVAILABLE: 82,
    Charger.Status.CHARGING: 9,
    Charger.Status.FAULTED: 5,
    Charger.Status.UNAVAILABLE: 4,
}


def plan_stations(*, until: datetime) -> list[Station]:
    """Plan all stations, in every city at least one."""
    dice = Dice("stations")
    more = dice.choices(CITIES, weights=[city.weight for city in CITIES], k=STATION_COUNT - len(CITIES))
    names: dict[str, int] = {}
    stations = []
    for city in (*CITIES, *more):
        country = COUNTRIES[city.country]
        name = f"{city.name} {dice.choice(country.sites)}"
        names[name] = names.get(name, 0) + 1
        stations.append(
            Station(
                id=dice.row_id("sta"),
                name=name if names[name] == 1 else f"{name} {names[name]}",
                address=country.address.format(street=dice.choice(country.streets), number=dice.randrange(1, 180)),
                city=city.name,
                country=city.country,
                # A few kilometres around the centre.
                latitude=round(city.latitude + dice.gauss(0, 3) / _KM_PER_DEGREE, 6),
                longitude=round(city.longitude + dice.gauss(0, 4) / _KM_PER_DEGREE, 6),
                status=_drawn(dice, _STATION_STATUS),
                created_at=dice.moment(before=until - timedelta(days=400), within=_HISTORY),
            )
        )
    return stations


def plan_chargers(*, stations: Sequence[Station]) -> list[Charger]:
    """Plan all chargers: at least one at every station, and more at the larger ones."""
    dice = Dice("chargers")
    sizes = [dice.paretovariate(1.6) for _ in stations]
    homes = [*stations, *dice.choices(stations, weights=sizes, k=CHARGER_COUNT - len(stations))]
    labels: dict[str, int] = {}
    chargers = []
    for station in homes:
        model, connector, power, _ = dice.choices(_MODELS, weights=[entry[3] for entry in _MODELS])[0]
        labels[station.id] = labels.get(station.id, 0) + 1
        is_active = station.status == Station.Status.ACTIVE
        chargers.append(
            Charger(
                id=dice.row_id("chg"),
                name=f"{station.name} #{labels[station.id]}",
                station=station,
                model=model,
                connector=connector,
                max_power_kw=power,
                status=_drawn(dice, _CHARGER_STATUS) if is_active else Charger.Status.UNAVAILABLE,
                created_at=station.created_at + timedelta(days=dice.random() * 300),
            )
        )
    return chargers


def plan_meters(*, stations: Sequence[Station], until: datetime) -> tuple[list[Meter], list[MeterReading]]:
    """Plan all meters, and one reading a day of the last month for each."""
    dice = Dice("meters")
    homes = [*stations, *dice.choices(stations, k=METER_COUNT - len(stations))]
    meters = []
    readings = []
    for number, station in enumerate(homes, start=1):
        meter = Meter(
            id=dice.row_id("met"),
            serial=f"1EMH{number + 10_240_000:010d}",
            station=station,
            status=Meter.Status.OFFLINE if dice.chance(0.04) else Meter.Status.ONLINE,
            created_at=station.created_at + timedelta(days=dice.random() * 30),
        )
        readings += _month_of_readings(meter, dice, until=until)
        meters.append(meter)
    return meters, readings


def _month_of_readings(meter: Meter, dice: Dice, *, until: datetime) -> list[MeterReading]:
    counted = dice.uniform(20_000, 400_000)
    daily = dice.uniform(80, 900)
    silent_days = dice.randrange(2, 12) if meter.status == Meter.Status.OFFLINE else 0
    midnight = until.replace(hour=0)
    readings = []
    for days_ago in range(READINGS_PER_METER + silent_days, silent_days, -1):
        read_at = midnight - timedelta(days=days_ago - 1)
        is_weekend = read_at.weekday() in _WEEKEND
        counted += daily * dice.uniform(0.8, 1.2) * (0.75 if is_weekend else 1.0)
        readings.append(MeterReading(meter=meter, read_at=read_at, energy_kwh=round(counted, 1)))
    meter.last_reading_at = readings[-1].read_at
    meter.last_reading_kwh = readings[-1].energy_kwh
    return readings


def _drawn(dice: Dice, weights: dict[str, int] | dict[Station.Status, int] | dict[Charger.Status, int]) -> str:
    return str(dice.choices(list(weights), weights=list(weights.values()))[0])
