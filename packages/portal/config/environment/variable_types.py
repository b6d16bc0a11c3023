"""What is declared of an environment variable."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from portal.config.environment.values import read_switch

if TYPE_CHECKING:
    from collections.abc import Callable


class Secrecy(Enum):
    """What of a value may be shown."""

    #: All of it.
    OPEN = "open"
    #: It is an address, and all but its user and password may be shown.
    HAS_PASSWORD = "has a password"  # noqa: S105  a word of this list, no password
    #: Nothing.
    SECRET = "secret"  # noqa: S105  a word of this list


class VariablePart(Enum):
    """The parts of the list, in the order of the page; each value is the part's heading."""

    START = "What every server needs"
    ADDRESSES = "Addresses"
    BACKEND = "Calls to the backend"
    STORE = "The shared store"
    TOKENS = "Access tokens"
    SIGN_IN = "Sign-in"
    LOG = "Log and metrics"
    PROCESS = "Folders and ports of this machine"


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable. Texts are Markdown, with links as from `docs/reference`.

    :param default: what holds where the variable is unset, in words. "required otherwise" where none holds outside of
        `DEBUG`.
    :param field: the field of `PortalConfig` that it gives, or what other fields need; empty where it is read together
        with another one, or by another library.
    :param read: gives the field's value. It gets the name, and by keyword the fields of `needs`; a field that can't be
        read is None there.
    :param example: a value that the reader takes; empty for a secret, and where a file or a command makes the value.
    :param read_by: who needs it.
    :param in_env_file: whether a person sets it, so that `.env.example` has it.
    """

    name: str
    part: VariablePart
    _: KW_ONLY
    default: str
    meaning: str
    field: str = ""
    read: Callable[..., Any] = read_switch
    needs: tuple[str, ...] = ()
    example: str = ""
    secrecy: Secrecy = Secrecy.OPEN
    read_by: str = "every project"
    in_env_file: bool = True
