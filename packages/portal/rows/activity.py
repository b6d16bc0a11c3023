"""What a backend tells of the history of a row: who did what and when, and the notes that people write."""

from typing import Any

from portal.rows.parameters import ListParams
from portal.rows.records import Record, Row


class FieldChange(Record):
    """One field of a change.

    :ivar field: its name on the wire; `before` and `after` are its values there, of any shape.
    """

    field: str = ""
    before: Any = None
    after: Any = None


class ActivityEntry(Row):
    """An entry of a row's history, or a note.

    :ivar kind: `created`, `changed`, `deleted`, `restored` or `note`.
    :ivar text: of a note: one or several lines.
    """

    kind: str = ""
    account_id: str | None = None
    account_name: str = ""
    changes: tuple[FieldChange, ...] = ()
    text: str = ""


class ActivityParams(ListParams):
    """The history of the row `id`."""

    id: str
