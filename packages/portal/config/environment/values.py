"""How one environment variable is read as a text, a number, a switch, an address or a folder.

Every function raises :class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it
should be. No message repeats the value, which may be a secret.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

import environ

from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Reads this process's variables; it keeps none of them.
ENV: Final = environ.Env()

#: Host and port of an address. A name outside of ASCII is written as browsers send it, `xn--…`.
_NETLOC = re.compile(r"[\w.\-:%\[\]]+", re.ASCII)
#: A contact: one word of printable ASCII, so it is one line of the file that has it.
_CONTACT = re.compile(r"(?:mailto:[!-~]+@[!-~]+|https://[!-~]+|tel:[!-~]+)")


def read_value(reader: Callable[..., T], name: str, should_be: str, default: T) -> T:
    """One variable through django-environ's reader; an empty value counts as unset."""
    if not os.environ.get(name, "").strip():
        return default
    try:
        return reader(name)
    except (ValueError, RuntimeError, environ.ImproperlyConfigured) as error:  # of `~name`, whose home nobody knows
        raise ConfigurationError(f"{name} should be {should_be}") from error


def read_secret(name: str, should_be: str) -> str:
    """A secret: the variable itself, or the text of the file that `<name>_FILE` names. Empty where neither is set.

    A file is read by its owner alone; a variable stands in `/proc/<pid>/environ`, and in what a container engine shows
    of a container. Line ends at the end of the file are not part of the secret, nor is the mark of UTF-8 at its begin.
    """
    file = os.environ.get(f"{name}_FILE", "").strip()
    if not file:
        return read_value(ENV.str, name, should_be, "")
    if os.environ.get(name, "").strip():
        raise ConfigurationError(f"{name} and {name}_FILE exclude each other: one of them should be unset")
    try:
        text = Path(file).read_text(encoding="utf-8-sig").rstrip("\r\n")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{name}_FILE should be a text file that this process can read") from error
    if not text.strip():
        raise ConfigurationError(f"{name}_FILE should be a file with {should_be}, and it is empty")
    return text


def missing(name: str, should_be: str) -> ConfigurationError:
    """What a variable that is required without `DEBUG` says."""
    instead = "" if os.environ.get("DEBUG") else "; or DEBUG=on, on a developer's machine"
    return ConfigurationError(f"{name} is missing: it should be {should_be}{instead}")


def read_switch(name: str) -> bool:
    """On or off; django-environ takes any other word as off, and a typing error must not switch a thing off."""
    word = os.environ.get(name, "").strip().lower()
    if word not in {"", *environ.Env.BOOLEAN_TRUE_STRINGS, "false", "off", "n", "no", "0"}:
        raise ConfigurationError(f"{name} should be on or off")
    return word in environ.Env.BOOLEAN_TRUE_STRINGS


def read_seconds(name: str, default: float) -> float:
    """A number of seconds above 0."""
    value = read_value(ENV.float, name, "a number of seconds above 0", float(default))
    if not 0 < value < float("inf"):
        raise ConfigurationError(f"{name} should be a number of seconds above 0")
    return value


def read_url(name: str, *, default: str | None, path: bool = False, whole: bool = False) -> str:
    """An http(s) address without credentials, query or fragment; an origin only, unless `path`.

    :param whole: with a query, if it has one, and kept as it is: a document's address, below which nothing lies.
    """
    path = path or whole
    should_be = f"an http:// or https:// {'address' if path else 'origin, without a path'}"
    value = read_value(ENV.str, name, should_be, default)
    if value is None:
        raise missing(name, should_be)
    value = value.strip() if whole else value.strip().rstrip("/")
    try:
        parts = urlsplit(value)
        sound = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigurationError(f"{name} should be {should_be}") from None
    sound = sound and parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    sound = sound and _NETLOC.fullmatch(parts.netloc) is not None
    sound = sound and (not parts.query or whole) and not parts.fragment and (not parts.path or path)
    if not sound or not value.isprintable():
        raise ConfigurationError(f"{name} should be {should_be}")
    return value if path else f"{parts.scheme}://{parts.netloc.lower()}"


def read_contacts(name: str) -> tuple[str, ...]:
    """Contacts of a `security.txt`, with commas between; RFC 9116, section 2.5.3: URIs, a web page by https."""
    should_be = "addresses such as mailto:security@example.com or https://example.com/security, with commas between"
    read: list[str] = read_value(ENV.list, name, should_be, [])
    contacts = tuple(contact.strip() for contact in read if contact.strip())
    if not all(_CONTACT.fullmatch(contact) for contact in contacts):
        raise ConfigurationError(f"{name} should be {should_be}")
    return contacts


def read_folder(name: str) -> Path | None:
    """The path of a folder, which may be missing; None where the variable is unset."""
    value = read_value(ENV.str, name, "a folder", "")
    return Path(value) if value else None
