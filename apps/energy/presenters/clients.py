"""A client as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import datetime_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientView:
    """One client. `title` is the name, or the id of a client without a name. What the record lacks is empty."""

    id: str
    title: str
    email: str
    phone: str
    city: str
    created_at: datetime | None


def present_client(record: Mapping[str, Any]) -> ClientView:
    """Present a record of `/energy/clients`."""
    text = texts_of(record)
    return ClientView(
        id=text[ID_FIELD],
        title=text["name"] or text[ID_FIELD],
        email=text["email"],
        phone=text["phone"],
        city=text["city"],
        created_at=datetime_of(record, CREATED_AT_FIELD),
    )
