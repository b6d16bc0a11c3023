"""How one environment variable is read as a text, a number, a switch, an address or a folder.

Every function raises :class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it
should be. No message repeats the value, which may be a secret.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from portal.errors import ConfigurationError

_ON: Final = frozenset({"true", "on", "ok", "y", "yes", "1"})
_OFF: Final = frozenset({"", "false", "off", "n", "no", "0"})

#: Host and port of an address. A name outside of ASCII is written as browsers send it, `xn--…`.
_NETLOC = re.compile(r"(\[[\w.:%]+\]|[\w-]+(\.[\w-]+)*\.?)(:\d+)?", re.ASCII)
_DOTS = re.compile(r"(\.|%2e){1,2}", re.IGNORECASE)
#: A contact: one word of printable ASCII, so it is one line of the file that has it.
_CONTACT = re.compile(r"(?:mailto:[!-~]+@[!-~]+|https://[!-~]+|tel:[!-~]+)")


def read_text(name: str, default: str = "") -> str:
    """One variable without spaces around it; an empty value counts as unset."""
    return os.environ.get(name, "").strip() or default


def read_choice(name: str, choices: Sequence[str]) -> str:
    """One of some words, also in capitals; the first one where the variable is unset."""
    word = read_text(name, choices[0]).lower()
    if word not in choices:
        raise ConfigurationError(f"{name} should be {' or '.join(choices)}")
    return word


def read_words(name: str) -> tuple[str, ...]:
    """Words with commas between."""
    return tuple(word.strip() for word in read_text(name).split(",") if word.strip())


def read_secret(name: str, should_be: str) -> str:
    """A secret: the variable itself, or the text of the file that `<name>_FILE` names. Empty where neither is set.

    A file is read by its owner alone; a variable stands in `/proc/<pid>/environ`, and in what a container engine shows
    of a container. Line ends at the end of the file are not part of the secret, nor is the mark of UTF-8 at its begin.
    """
    file = read_text(f"{name}_FILE")
    if not file:
        return os.environ[name] if read_text(name) else ""
    if read_text(name):
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
    """On or off; a typing error must not switch a thing off."""
    word = read_text(name).lower()
    if word not in _ON | _OFF:
        raise ConfigurationError(f"{name} should be on or off")
    return word in _ON


def read_seconds(name: str, default: float) -> float:
    """A number of seconds above 0."""
    text = read_text(name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or not float(text):
        raise ConfigurationError(f"{name} should be a number of seconds above 0, such as 10 or 2.5")
    return float(text)


def read_whole_number(name: str, what: str, default: int, *, least: int = 1, most: int = 999_999_999) -> int:
    """A whole number.

    :param what: is counted, for the message.
    """
    text = read_text(name, str(default))
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ConfigurationError(f"{name} should be {what} from {least} to {most}")
    return int(text)


def read_url(name: str, *, default: str | None, path: bool = False, whole: bool = False) -> str:
    """An http(s) address without credentials, query or fragment; an origin only, unless `path`.

    :param whole: with a query, if it has one, and kept as it is: a document's address, below which nothing lies.
    """
    path = path or whole
    kind = "address, without user, query and fragment" if path else "origin, without user, path, query and fragment"
    should_be = f"an http:// or https:// {kind}"
    value = read_text(name, default or "")
    if not value and default is None:
        raise missing(name, should_be)
    value = value if whole else value.rstrip("/")
    try:
        parts = urlsplit(value)
        sound = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigurationError(f"{name} should be {should_be}") from None
    sound = sound and parts.scheme in {"http", "https"} and _NETLOC.fullmatch(parts.netloc) is not None
    sound = sound and not any(map(_DOTS.fullmatch, parts.path.split("/")))
    sound = sound and (not parts.query or whole) and not parts.fragment and (not parts.path or path)
    if not sound or not value.isprintable():
        raise ConfigurationError(f"{name} should be {should_be}")
    return value if path else f"{parts.scheme}://{parts.netloc.lower()}"


def read_contacts(name: str) -> tuple[str, ...]:
    """Contacts of a `security.txt`, with commas between; RFC 9116, section 2.5.3: URIs, a web page by https."""
    should_be = "addresses such as mailto:security@example.com or https://example.com/security, with commas between"
    contacts = read_words(name)
    if not all(_CONTACT.fullmatch(contact) for contact in contacts):
        raise ConfigurationError(f"{name} should be {should_be}")
    return contacts


def read_path(name: str, should_be: str = "a folder", default: Path | None = None) -> Path | None:
    """An absolute path, with `~` for a home. Only a shell resolves a `$`."""
    value = read_text(name)
    # The `~` stays where nobody knows the home of `~name`.
    path = os.path.expanduser(value)  # noqa: PTH111  Path's own raises there
    if path.startswith("~") or "$" in path:
        raise ConfigurationError(f"{name} should be {should_be}")
    return Path(path).absolute() if value else default
