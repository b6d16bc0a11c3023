"""Where files that all share name each platform: `startplatform` adds a new one there, `removeplatform` takes it away.

A new platform stands after the one that was the registry's last; the first one after the gateway, or where it says.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from portal.config.places import SOURCE_ROOT
from portal.config.projects import DEFAULT_PORT_BASE, GATEWAY_APP, INSTANCE_PORT_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Place:
    """One text for each platform, in one file; `platform_places.toml` explains each part."""

    file: str
    text: str
    after: str = ""
    first: str = ""
    whole: str = ""


REGISTRY_FILE: Final = "apps/product.py"
PLACES: Final = tuple(
    Place(**row) for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["place"]
)
#: Between two platforms of a list in a sentence.
_BETWEEN: Final = ", "
#: An extra of a platform's name has the packages that it alone needs: `finance = ["reportlab>=4.4"]`.
_EXTRA: Final = (
    ("pyproject.toml", r"^<name> = \[.*\]\n"),
    ("Makefile", r" --extra <name>(?![\w-])"),
)


class Edits(NamedTuple):
    """Changes of files.

    :param texts: the new text of each file that changes.
    :param missed: where nothing is changed, since the text there is another one: file and text, as one line.
    """

    texts: dict[str, str]
    missed: list[str]

    def write(self) -> None:
        """Write all files."""
        for file, text in self.texts.items():
            (SOURCE_ROOT / file).write_text(text)


class _Change(NamedTuple):
    """In one file, a replacement for all that fits a regular expression; `text` says what it is about."""

    file: str
    pattern: str
    replacement: str
    text: str


def add_platform(name: str, *, platforms: Sequence[str]) -> Edits:
    """Name a new platform in each place, after the last of `platforms`; where there is none, as the first."""
    before, port = platforms[-1] if platforms else GATEWAY_APP, DEFAULT_PORT_BASE + len(platforms) + 1
    changes = []
    for place in PLACES:
        text = _text(place, name, port=port)
        after = place.after.replace("<before>", before).replace("<BEFORE>", before.upper()) or _pattern(place, before)
        if not platforms:
            after, text = place.first or after, text.removeprefix(_BETWEEN)
        changes.append(_Change(place.file, after, rf"\g<0>{text}", text))
    return _edit(changes)


def remove_platform(name: str, *, platforms: Sequence[str]) -> Edits:
    """Name a platform in no place any more, in the registry last. Those after it have lower ports from now on."""
    later = platforms[platforms.index(name) + 1 :]
    changes = [_Change(place.file, _whole(place, name), "", _text(place, name)) for place in PLACES]
    if re.search(rf"^{name} = \[", _read("pyproject.toml"), flags=re.MULTILINE):
        changes += [_Change(file, text.replace("<name>", name), "", text) for file, text in _EXTRA]
    for port, other in enumerate(later, start=DEFAULT_PORT_BASE + len(platforms) - len(later)):
        for place in PLACES:
            if "<port>" in place.text:
                text = _text(place, other, port=port)
                changes.append(_Change(place.file, _pattern(place, other), text, text))
    edits = _edit(changes)
    return edits._replace(texts=dict(reversed(edits.texts.items())))


def _edit(changes: Iterable[_Change]) -> Edits:
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    missed = []
    for change in changes:
        text = after.setdefault(change.file, before.setdefault(change.file, _read(change.file)))
        after[change.file], count = re.subn(change.pattern, change.replacement, text, flags=re.MULTILINE)
        # A product may have no file of this kind, such as another way to deploy.
        if not count and before[change.file]:
            missed.append(f"{change.file}: {change.text.strip()}")
    return Edits({file: text for file, text in after.items() if text != before[file]}, missed)


def _whole(place: Place, name: str) -> str:
    """What fits all that a place says of a platform. The first one of a list has its comma behind it."""
    if place.whole:
        return place.whole.replace("<name>", name)
    pattern = _pattern(place, name)
    if not place.text.startswith(_BETWEEN):
        return pattern
    alone = pattern.removeprefix(re.escape(_BETWEEN))
    return rf"{pattern}|{alone}, |{alone}"


def _pattern(place: Place, name: str) -> str:
    """What fits the text of a platform at a place, with any port, and not that of another one whose name is longer."""
    end = "" if place.text.endswith("\n") else r"(?![\w-])"
    return re.escape(_text(place, name)).replace("<port>", r"\d+").replace("<second>", r"\d+") + end


def _text(place: Place, name: str, *, port: int | None = None) -> str:
    organisation = re.search(r"@([\w-]+)/", _read("CODEOWNERS"))
    values = {
        "<name>": name,
        "<NAME>": name.upper(),
        "<org>": organisation[1] if organisation else "org",
    }
    if port:
        values |= {"<port>": str(port), "<second>": str(port + INSTANCE_PORT_STEP)}
    return re.sub("<\\w+>", lambda found: values.get(found[0], found[0]), place.text)


def _read(file: str) -> str:
    path = SOURCE_ROOT / file
    return path.read_text() if path.exists() else ""
