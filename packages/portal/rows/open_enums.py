"""Enumerations of the backend: a value that a newer backend adds is kept, and never an error."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class OpenEnum(StrEnum):
    """An enumeration of texts. A text that is no member becomes a value of the class, equal to its text.

    ::

        class OrderStatus(OpenEnum):
            OPEN = "open"

        OrderStatus("open") is OrderStatus.OPEN
        OrderStatus("lost") == "lost" and not OrderStatus("lost").is_known
    """

    @property
    def is_known(self) -> bool:
        """Whether the class declares this value."""
        return self.value in type(self)._value2member_map_

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """Enum calls this for a value that is no member. The result is not kept, so odd values fill no memory."""
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown
