"""Messages of the doctor: Django's, each with its subject as `obj`, what was seen as `msg`, what to do as `hint`."""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.core.checks import ERROR, INFO, WARNING, CheckMessage

from portal.config.limits import EXPIRY_LEEWAY_S
from portal.config.portal_config import PortalConfig

#: The level's word in a report.
WORDS: Final = {ERROR: "error", WARNING: "warning", INFO: "ok"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """Subject of an examination.

    :param access: the access token of a user; without one, no call of a user is tried.
    """

    config: PortalConfig
    access: str | None = field(default=None, repr=False)


def _say(level: int, subject: str, seen: str, remedy: str | None = None) -> CheckMessage:
    return CheckMessage(level, seen, remedy, subject)


#: All is well; it works, and may hurt; it does not work.
ok, warning, error = (partial(_say, level) for level in (INFO, WARNING, ERROR))


def clock(subject: str, ahead_s: float, *, may_differ_s: float) -> CheckMessage:
    """Compare a server's clock with ours.

    :param ahead_s: how far it is ahead.
    :param may_differ_s: from here on it is a warning; beyond the leeway of tokens it is an error.
    """
    if abs(ahead_s) <= may_differ_s:
        return ok(subject, "as ours")
    make = error if abs(ahead_s) > EXPIRY_LEEWAY_S else warning
    seen = f"{abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} ours"
    return make(subject, seen, "let both machines keep their time by NTP: tokens expire by it")
