"""A year of charging sessions: more each month, most in the morning and the evening."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from math import sqrt

from sandbox_api.energy.models import Charger, ChargingSession, Client, Station
from sandbox_api.seed.dice import Dice

COUNT = 21_000
_DAYS = 365
# How many begin in each hour of the day: commuters plug in at work, at lunch, and when they come home.
_BY_HOUR = (2, 1, 1, 1, 1, 3, 8, 15, 18, 13, 10, 11, 14, 12, 10, 11, 14, 19, 21, 17, 12, 8, 5, 3)
#: At the least power, with the pause before somebody unplugs.
_LONGEST = timedelta(hours=12)
_FAILED = 0.02
_AC_POWER_KW = 22
_FAST_POWER_KW = 100
_CENTS_PER_KWH = {"ac": 49, "dc": 59, "fast": 69}


def plan_charging_sessions(
    *, chargers: Sequence[Charger], clients: Sequence[Client], until: datetime
) -> list[ChargingSession]:
    """Plan all charging sessions, the oldest first, those that go on last."""
    dice = Dice("charging sessions")
    charging = [charger for charger in chargers if charger.status == Charger.Status.CHARGING]
    in_use = [charger for charger in chargers if charger.station.status != Station.Status.PLANNED]
    past = COUNT - len(charging)
    drivers = dice.choices(clients, weights=[dice.paretovariate(1.3) for _ in clients], k=COUNT)
    begins = sorted(_begin(dice, until) for _ in range(past))
    sessions = [
        _ended(dice, charger, client, begin)
        for charger, client, begin in zip(dice.choices(in_use, k=past), drivers, begins, strict=False)
    ]
    now_charging = sorted(
        ((until - timedelta(minutes=dice.uniform(2, 55)), charger) for charger in charging),
        key=lambda pair: pair[0],
    )
    sessions += [
        _going_on(dice, charger, client, begin, until)
        for (begin, charger), client in zip(now_charging, drivers[past:], strict=True)
    ]
    for number, session in enumerate(sessions, start=1):
        session.id = dice.row_id("ses")
        session.reference = f"CS-{session.started_at.year}-{number:06d}"
        session.created_at = session.started_at
    return sessions


def _begin(dice: Dice, until: datetime) -> datetime:
    """A moment since which even the longest session has ended."""
    # Three times as many a day at the year's end as at its begin, growing evenly.
    days_ago = int(_DAYS * (1.5 - sqrt(2.25 - 2 * dice.random())))
    hour = dice.choices(range(24), weights=_BY_HOUR)[0]
    begin = (until - timedelta(days=days_ago)).replace(hour=hour, minute=0) + timedelta(seconds=dice.randrange(3600))
    return begin if begin < until - _LONGEST else _begin(dice, until)


def _ended(dice: Dice, charger: Charger, client: Client, begin: datetime) -> ChargingSession:
    failed = dice.chance(_FAILED)
    power = charger.max_power_kw
    energy = dice.uniform(0, 0.4) if failed else _energy(dice, power)
    # Cars seldom take all that a charger gives.
    hours = energy / min(power * dice.uniform(0.55, 0.9), 130)
    return _session(
        charger,
        client,
        begin,
        energy=energy,
        ended_at=begin + timedelta(hours=hours, seconds=dice.randrange(20, 900)),
        status=ChargingSession.Status.FAILED if failed else ChargingSession.Status.COMPLETED,
    )


def _going_on(dice: Dice, charger: Charger, client: Client, begin: datetime, until: datetime) -> ChargingSession:
    hours = (until - begin) / timedelta(hours=1)
    energy = min(hours * charger.max_power_kw * dice.uniform(0.5, 0.8), 75)
    return _session(charger, client, begin, energy=energy, ended_at=None, status=ChargingSession.Status.ACTIVE)


def _energy(dice: Dice, power: float) -> float:
    if power <= _AC_POWER_KW:
        return dice.near(17, spread=8, least=1.2, most=70)
    if power < _FAST_POWER_KW:
        return dice.near(26, spread=10, least=3, most=75)
    return dice.near(38, spread=14, least=4, most=95)


def _session(
    charger: Charger,
    client: Client,
    begin: datetime,
    *,
    energy: float,
    ended_at: datetime | None,
    status: ChargingSession.Status,
) -> ChargingSession:
    power = charger.max_power_kw
    tariff = "ac" if power <= _AC_POWER_KW else "dc" if power < _FAST_POWER_KW else "fast"
    kwh = round(energy, 3)
    cents = Decimal(str(kwh)) * _CENTS_PER_KWH[tariff]
    return ChargingSession(
        id="",  # given once all are in order
        charger=charger,
        client=client,
        started_at=begin,
        ended_at=ended_at,
        energy_kwh=kwh,
        cost=(cents / 100).quantize(Decimal("0.01")),
        status=status,
    )
