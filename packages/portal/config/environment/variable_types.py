"""What is declared of an environment variable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One environment variable. Texts are Markdown, with links as from `docs/reference`.

    :param default: what holds where the variable is unset, in words. "required otherwise" where none holds outside of
        `DEBUG`.
    :param example: a value that the reader takes; empty for a secret, and where a file or a command makes the value.
    :param read_by: who needs it.
    :param in_env_file: whether a person sets it, so that `.env.example` has it.
    """

    name: str
    part: VariablePart
    default: str
    meaning: str
    example: str = ""
    secrecy: Secrecy = Secrecy.OPEN
    read_by: str = "every project"
    in_env_file: bool = True
