"""How the audit log names people, without their addresses (docs/adr/0043-the-audit-log.md)."""

from __future__ import annotations

import hashlib
import hmac
import re
from ipaddress import ip_address
from typing import Final

from portal.config.current import portal_config

#: Digits of a hash: enough to tell two accounts apart.
TAG_CHARS: Final = 16
#: Characters of a browser's user agent that a line keeps.
MAX_USER_AGENT_CHARS: Final = 200
_ENTERED_NAME_LABEL: Final = b"portal audit log, version 1: entered name\0"
_EMAIL: Final = re.compile(r"[^\s<>()\[\],;]+@[^\s<>()\[\],;]+")


def tag_of(name: str) -> str:
    """A truncated SHA-256, such as the account tag of a token's subject. Who knows the name can compute it."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:TAG_CHARS]


def entered_name_tag(typed: str) -> str:
    """A truncated HMAC-SHA-256 of what was typed as the name of an account.

    Capitals and spaces around it make no difference. Nobody can try names, or passwords that were typed into the wrong
    field, against it without the key.
    """
    name = typed.strip().casefold().encode("utf-8", "surrogatepass")
    return hmac.new(portal_config().audit_key.encode(), _ENTERED_NAME_LABEL + name, "sha256").hexdigest()[:TAG_CHARS]


def kept_address(address: str) -> str | None:
    """An IP address as it is; None for a text that is none."""
    try:
        return str(ip_address(address))
    except ValueError:
        return None


def kept_user_agent(text: str) -> str | None:
    """The beginning of a user agent's text, with email addresses left out; None for an empty one."""
    return _EMAIL.sub("(address)", text[: 2 * MAX_USER_AGENT_CHARS])[:MAX_USER_AGENT_CHARS] or None
