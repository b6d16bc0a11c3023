"""A client as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.web.present import created_at_of, id_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientView:
    """One client. What the record lacks is empty."""

    id: str
    name: str
    email: str
    phone: str
    city: str
    created_at: datetime | None

    @property
    def title(self) -> str:
        """The client's name, or its id if it has no name."""
        return self.name or self.id


def present_client(record: Mapping[str, Any]) -> ClientView:
    """Present a record of `/energy/clients`."""
    return ClientView(
        id=id_of(record),
        name=text_of(record, "name"),
        email=text_of(record, "email"),
        phone=text_of(record, "phone"),
        city=text_of(record, "city"),
        created_at=created_at_of(record),
    )
