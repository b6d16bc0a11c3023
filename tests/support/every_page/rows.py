"""The backend's rows: as they should be, with nothing but an id, with texts that attack a page, and of odd types."""

from dataclasses import dataclass, field
from typing import Any, Final

Row = dict[str, Any]

#: Texts that a page must show as they are. Each could become an element, an attribute, or something else in a page
#: that writes it without care.
HOSTILE_TEXTS: Final = {
    "script": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "single quote": "' onmouseover='alert(1)",
    "end of all": "--></title></style></textarea></template></svg><x-hostile data-hostile>",
    "entities": "Tom &amp; Jerry &lt;b&gt; &#x27;",
    "address": "javascript:alert(1)",
    "template": "{{7*7}}{%x%}${7*7}",
    "placeholders": "100% %s %(name)s %(total)d {0} {name} [new] [all]",
    "directions": "\u202egnp.exe\u202c \u200b\u200d\ufeff \u05d0\u05d1",
    "lines": "two\nlines\tand\u2028more",
    "controls": "bell\x07 escape\x1b nul\x00",
    "half a pair": "half \ud800 of a pair",
    "long": "w" * 5000,
    "blank": "   ",
}
HOSTILE_TEXT: Final = " ".join(HOSTILE_TEXTS.values())
#: The same, of what a person can type: half of a surrogate pair has no encoding.
TYPED_TEXT: Final = HOSTILE_TEXT.replace("\ud800", "")
HOSTILE_IDS: Final = (
    "a/b",
    "../me",
    "two words",
    "a?b#c&d=e",
    "a\\b",
    "ü",
    "new",
    '"><img src=x onerror=alert(2)>',
    "javascript:alert(2)",
    "i" * 300,
    "",
)
#: What a field may have in place of a text, a number, a time.
ODD_VALUES: Final[dict[str, Any]] = {
    "null": None,
    "negative": -1.5,
    "huge": 10**400,
    "largest": 1.7e308,
    "not a number": "NaN",
    "great exponent": "1e999999",
    "list": ["<b>"],
    "object": {"id": "<b>", "name": "<b>"},
    "empty": "",
    "no day": "2026-02-30T25:61:00Z",
    "first day": "0001-01-01T00:00:00+14:00",
    "last day": "9999-12-31T23:59:59-14:00",
    "day alone": "2026-01-31",
}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One list of the backend.

    :param path: of the pages, and of the backend's list.
    :param served_at: path of the backend's list, if it is another one.
    :param menus: the filters whose choices are counted when their menu opens.
    :param row: all fields of an ordinary row, but its id.
    :param variants: fields in which ordinary rows differ, such as each status.
    :param sort: a sort order that is not the default.
    """

    app: str
    path: str
    row: Row
    variants: tuple[Row, ...]
    sort: str
    served_at: str | None = None
    menus: tuple[str, ...] = ()
    #: Fields of a row that stand in a list of objects of the detail alone.
    parts: Row = field(default_factory=dict)

    @property
    def backend_path(self) -> str:
        """Path of the backend's list."""
        return self.served_at or self.path

    def ordinary(self, count: int) -> list[Row]:
        """Rows as they should be."""
        return [
            {"id": f"row_{number}", **self.row, **self.variants[number % len(self.variants)]} for number in range(count)
        ]

    def bare(self) -> list[Row]:
        """Rows of which only the id is known."""
        return [{"id": "row_0"}, {"id": 7}]

    def hostile(self) -> list[Row]:
        """A row for each hostile text, which is the value of each text field; and for each hostile id."""
        texts = [
            {"id": f"row_{number}", **self.row, **self.with_texts(text)}
            for number, text in enumerate(HOSTILE_TEXTS.values())
        ]
        return [*texts, *({"id": row_id, **self.row} for row_id in HOSTILE_IDS)]

    def odd(self) -> list[Row]:
        """A row for each odd value, which is the value of each field but the id; and rows with odd ids."""
        rows = [
            {"id": f"row_{number}", **dict.fromkeys({**self.row, **self.parts}, value)}
            for number, value in enumerate(ODD_VALUES.values())
        ]
        return [*rows, *({**self.row, "id": value} for value in ODD_VALUES.values())]

    def with_texts(self, text: str) -> Row:
        """This text in place of each text."""
        return {name: text for name, value in self.row.items() if isinstance(value, str)}


CLIENTS: Final = Resource(
    app="energy",
    path="/energy/clients",
    menus=("city",),
    row={
        "name": "Grace Hopper",
        "email": "grace+portal@example.com",
        "phone": "+49 30 901820",
        "city": "Çanakkale",
        "createdAt": "2025-12-31T23:30:00Z",
    },
    variants=(
        {},
        {"phone": None},
        {"city": None},
        {"name": "", "email": ""},
        {"createdAt": "2024-02-29T12:00:00+02:00"},
    ),
    sort="name",
)
STATIONS: Final = Resource(
    app="energy",
    path="/energy/stations",
    menus=("country", "city"),
    row={
        "name": "Main station",
        "address": "Straße des 17. Juni 1",
        "city": "Berlin",
        "country": "DE",
        "latitude": 52.5145,
        "longitude": 13.3501,
        "status": "active",
        "chargerCount": 12,
        "health": "ok",
        "faultedChargers": 0,
        "offlineMeters": 0,
        "createdAt": "2025-03-01T08:00:00Z",
    },
    variants=(
        {},
        {"status": "maintenance", "chargerCount": 0, "health": "fault", "faultedChargers": 1, "offlineMeters": 1},
        {"status": "planned", "chargerCount": 1234567, "health": "offline", "offlineMeters": 2},
        {"status": "other"},
        {"city": "", "latitude": None},
    ),
    sort="-name",
)
CHARGERS: Final = Resource(
    app="energy",
    path="/energy/chargers",
    row={
        "name": "Charger 1",
        "stationId": "sta_1",
        "stationName": "Main station",
        "model": "Hyper 300",
        "connector": "ccs",
        "maxPowerKw": 150,
        "status": "available",
        "createdAt": "2025-03-01T08:00:00Z",
    },
    variants=(
        {},
        {"status": "charging", "connector": "type2", "maxPowerKw": 22.5},
        {"status": "faulted", "connector": "chademo", "maxPowerKw": 1234567.89},
        {"status": "unavailable", "connector": "other", "maxPowerKw": None},
        {"status": "", "model": "", "stationName": ""},
    ),
    sort="-maxPowerKw",
)
SESSIONS: Final = Resource(
    app="energy",
    path="/energy/sessions",
    row={
        "reference": "S-2025-0001",
        "chargerId": "cha_1",
        "chargerName": "Charger 1",
        "stationId": "sta_1",
        "stationName": "Main station",
        "clientId": "cli_1",
        "clientName": "Grace Hopper",
        "startedAt": "2025-11-02T05:06:07Z",
        "endedAt": "2025-11-02T06:07:08Z",
        "energyKwh": 1234.56,
        "cost": "1234.50",
        "currency": "EUR",
        "status": "completed",
    },
    variants=(
        {},
        {"status": "active", "endedAt": None, "cost": None},
        {"status": "failed", "currency": "TRY", "energyKwh": 0},
        {"clientId": None, "clientName": None, "currency": "XXX"},
        {"chargerName": "", "stationName": "", "clientName": "", "currency": "JPY"},
    ),
    sort="-energyKwh",
)
METERS: Final = Resource(
    app="energy",
    path="/energy/meters",
    row={
        "serial": "M-0001",
        "stationId": "sta_1",
        "stationName": "Main station",
        "lastReadingKwh": 987654.321,
        "lastReadingAt": "2025-12-01T00:00:00Z",
        "status": "online",
        "createdAt": "2025-03-01T08:00:00Z",
    },
    variants=({}, {"status": "offline"}, {"status": "other", "lastReadingAt": None}, {"serial": "", "stationName": ""}),
    sort="name",
    parts={
        "readings": [
            {"readAt": f"2025-{month:02d}-01T00:00:00Z", "energyKwh": 100.0 * month + 0.05} for month in range(1, 13)
        ]
    },
)
WORK_ORDERS: Final = Resource(
    app="operations",
    path="/operations/work-orders",
    menus=("assignee",),
    row={
        "title": "Replace the cable",
        "stationId": "sta_1",
        "stationName": "Main station",
        "priority": "normal",
        "status": "open",
        "assignee": "Grace Hopper",
        "createdAt": "2025-12-31T23:30:00Z",
        "completedAt": None,
    },
    variants=(
        {},
        {"status": "in_progress", "priority": "high", "assignee": None},
        {"status": "done", "priority": "low", "completedAt": "2026-01-02T03:04:05Z"},
        {"status": "cancelled", "priority": "urgent", "stationId": None, "stationName": None},
        {"status": "other", "priority": "", "title": ""},
    ),
    sort="name",
)
INVOICES: Final = Resource(
    app="finance",
    path="/finance/invoices",
    row={
        "number": "R-2025-0001",
        "clientName": "Grace Hopper",
        "amount": "1234567.80",
        "currency": "EUR",
        "status": "sent",
        "issuedAt": "2025-12-31T23:30:00Z",
        "dueAt": "2026-01-31T00:00:00Z",
        "paidAt": None,
        "clientAddress": "Straße 1\nBerlin",
        "clientVatId": "DE1",
        "reminderCount": 2,
        "remindedAt": "2026-02-01T00:00:00Z",
    },
    variants=(
        {},
        {"status": "paid", "paidAt": "2026-01-15T12:00:00Z", "currency": "TRY"},
        {"status": "overdue", "currency": "USD", "amount": "0.005"},
        {"status": "draft", "issuedAt": None, "dueAt": None, "amount": None},
        {"status": "cancelled", "clientName": "", "number": "", "currency": ""},
    ),
    sort="-amount",
    parts={
        "lines": [
            {"description": "Energy", "quantity": 1234.5678, "unitPrice": "0.4567", "amount": "563.83"},
            {"description": "Base fee", "quantity": 1, "unitPrice": "9.99", "amount": "9.99"},
            {"description": "Discount", "quantity": 0.5, "unitPrice": "-1", "amount": "-0.50"},
        ]
    },
)
#: Every list that is named above.
RESOURCES: Final = tuple(each for each in list(globals().values()) if isinstance(each, Resource))


def history_of(row: Row) -> list[Row]:
    """The history of a row whose fields all were once the next field's value, as far as there is one."""
    changes = [{"field": name, "before": row[name], "after": next(reversed(row.values()))} for name in row]
    common = {"createdAt": "2026-03-01T10:00:00Z", "accountName": HOSTILE_TEXT, "text": HOSTILE_TEXT}
    kinds = ("note", "changed", "restored", "deleted", "created", HOSTILE_TEXT)
    return [{"id": f"act_{kind}", "kind": kind, "changes": changes, **common} for kind in kinds]
