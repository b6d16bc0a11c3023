"""Work orders: what breaks at stations and chargers, and who mends it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sandbox_api.auth.models import Account
from sandbox_api.auth.permissions import OPERATIONS_APP
from sandbox_api.energy.models import Charger, Station
from sandbox_api.folding import fold
from sandbox_api.operations.models import UNFINISHED, WorkOrder
from sandbox_api.seed.dice import Dice

COUNT = 320
_HISTORY = timedelta(days=270)
_STILL_OPEN = timedelta(days=21)
_WITHOUT_DATE = 0.12
_AT_A_CHARGER = 0.5
_DESCRIBED = 0.4
# Days that there are for it: some are late.
_TERMS = {
    WorkOrder.Priority.URGENT: 3,
    WorkOrder.Priority.HIGH: 8,
    WorkOrder.Priority.NORMAL: 18,
    WorkOrder.Priority.LOW: 45,
}
_END_OF_WORK = 15
"""The hour, UTC, by which things are due."""

_DESCRIPTIONS = (
    "A customer called twice.\nPlease look at the neighbouring charger too.",
    "The key is at the kiosk, from 6:00 to 22:00.\nThe barrier opens with the code of the month.",
    "Seen on the morning round. No damage to the housing.",
    "Remote restart did not help.\nThe spare part is in the van.",
)
_TASKS = (
    ("Replace the CCS cable", WorkOrder.Priority.HIGH),
    ("Display shows nothing", WorkOrder.Priority.NORMAL),
    ("Card reader declines every card", WorkOrder.Priority.HIGH),
    ("Yearly safety inspection", WorkOrder.Priority.LOW),
    ("Residual-current device trips", WorkOrder.Priority.URGENT),
    ("Firmware update failed", WorkOrder.Priority.NORMAL),
    ("Remove graffiti from the housing", WorkOrder.Priority.LOW),
    ("Connector lock is stuck", WorkOrder.Priority.HIGH),
    ("Meter sends no readings", WorkOrder.Priority.NORMAL),
    ("Bay markings are worn off", WorkOrder.Priority.LOW),
    ("Cooling fan is loud", WorkOrder.Priority.NORMAL),
    ("Emergency stop was pressed", WorkOrder.Priority.URGENT),
    ("Modem loses its connection", WorkOrder.Priority.NORMAL),
    ("Clear snow and leaves from the bays", WorkOrder.Priority.LOW),
    ("Calibrate the energy meter", WorkOrder.Priority.NORMAL),
)
_NO_PASSWORD = "!"  # noqa: S105 - as Django writes one that nothing matches
_NAMES = (
    "Jürgen Weiß",
    "Ayşe Çelik",
    "Sigrid Bjørnsen",
    "Mehmet Güneş",
    "Anke Schröder",
    "Łukasz Wójcik",
    "Kjell Østby",
    "Zeynep Aydın",
    "Björn Sjögren",
    "Rosa Hübner",
)
#: By their addresses.
TECHNICIANS = {f"{'.'.join(fold(name).split())}@example.net": name for name in _NAMES}


def plan_technicians(*, until: datetime) -> list[Account]:
    """Plan the accounts of those who mend things; nobody can sign in to one before a new password is asked for."""
    dice = Dice("technicians")
    return [
        Account(
            id=dice.row_id("acc"),
            name=name,
            email=email,
            password=_NO_PASSWORD,
            permissions=[OPERATIONS_APP],
            created_at=dice.moment(before=until, within=_HISTORY),
        )
        for email, name in TECHNICIANS.items()
    ]


def plan_work_orders(
    *, stations: Sequence[Station], chargers: Sequence[Charger], technicians: Sequence[Account], until: datetime
) -> list[WorkOrder]:
    """Plan all work orders, the oldest first. The old ones are done, the urgent ones sooner."""
    dice, due_dice, charger_dice = Dice("work orders"), Dice("work orders due"), Dice("work orders chargers")
    faulted = [charger for charger in chargers if charger.status == Charger.Status.FAULTED]
    orders = []
    for _ in range(COUNT):
        task, priority = dice.choice(_TASKS)
        station = dice.choice(stations)
        created_at = dice.moment(before=until, within=_HISTORY, skew=1.4)
        status = _status(dice, age=until - created_at)
        is_open = status == WorkOrder.Status.OPEN
        row_id = dice.row_id("wor")
        person = None if is_open and dice.chance(0.6) else dice.choice(technicians)
        charger = None
        if charger_dice.chance(_AT_A_CHARGER):
            # What is not finished is mostly a fault that is still there.
            here = [each for each in chargers if each.station_id == station.id]
            charger = charger_dice.choice(faulted if status in UNFINISHED and faulted else here)
            station = charger.station
        orders.append(
            WorkOrder(
                id=row_id,
                title=f"{task}: {station.name}",
                description=charger_dice.choice(_DESCRIPTIONS) if charger_dice.chance(_DESCRIBED) else "",
                station=station,
                charger=charger,
                priority=priority,
                status=status,
                assignee=None if person is None else person.name,
                person=person,
                created_at=created_at,
                due_at=_due_at(due_dice, priority, created_at),
                completed_at=(
                    created_at + (until - created_at) * dice.uniform(0.05, 0.6)
                    if status == WorkOrder.Status.DONE
                    else None
                ),
            )
        )
    return sorted(orders, key=lambda order: order.created_at)


def _due_at(dice: Dice, priority: WorkOrder.Priority, created_at: datetime) -> datetime | None:
    days = _TERMS[priority] * dice.uniform(0.6, 1.4)
    if dice.chance(_WITHOUT_DATE):
        return None
    day = created_at + timedelta(days=max(1, round(days)))
    return day.replace(hour=_END_OF_WORK, minute=0, second=0, microsecond=0)


def _status(dice: Dice, *, age: timedelta) -> WorkOrder.Status:
    if dice.chance(0.04):
        return WorkOrder.Status.CANCELLED
    done = 0.96 if age > _STILL_OPEN else 0.45 * (age / _STILL_OPEN)
    if dice.chance(done):
        return WorkOrder.Status.DONE
    return WorkOrder.Status.IN_PROGRESS if dice.chance(0.4) else WorkOrder.Status.OPEN
