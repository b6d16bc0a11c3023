"""What `doctor` found: one thing each, how bad it is, what was seen, what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from portal.config.limits import EXPIRY_LEEWAY_S

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from portal.config.portal_config import PortalConfig


class Level(Enum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    :param subject: what, such as `backend TLS`.
    :param seen: what was seen, without a secret.
    :param remedy: what to do; empty if it is well.
    """

    level: Level
    subject: str
    seen: str
    remedy: str = ""

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        return {"level": self.level.value, "subject": self.subject, "seen": self.seen, "do": self.remedy or None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined.

    :param unread: fields of the configuration that can't be read. They hold another value in their place, so what
        depends on them is not looked at.
    :param access: the access token of a user; without one, no call of a user is tried.
    """

    config: PortalConfig
    unread: AbstractSet[str]
    access: str | None = field(default=None, repr=False)


#: All is well; it works, and may hurt; it does not work.
ok, warning, error = (partial(Finding, level) for level in Level)


def clock(subject: str, ahead_s: float, *, may_differ_s: float) -> Finding:
    """Whether a server's clock is as ours.

    :param ahead_s: how far it is ahead.
    :param may_differ_s: from here on it is a warning; beyond the leeway of tokens it is an error.
    """
    if abs(ahead_s) <= may_differ_s:
        return ok(subject, "as ours")
    make = error if abs(ahead_s) > EXPIRY_LEEWAY_S else warning
    seen = f"{abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} ours"
    return make(subject, seen, "let both machines keep their time by NTP: tokens expire by it")
