"""Where files that all share name each platform: `startplatform` adds a new one there, `removeplatform` takes it away.

A new platform stands after the one that was the registry's last; the first one after the gateway, or where it says.
"""

import re
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from portal.config.places import SOURCE_ROOT
from portal.config.projects import DEFAULT_PORT_BASE, GATEWAY_APP, INSTANCE_PORT_STEP

#: Between two platforms of a list in a sentence.
_BETWEEN: Final = ", "


class Place(NamedTuple):
    """One text for each platform, in one file; `platform_places.toml` explains each part."""

    file: str
    text: str
    after: str = ""
    first: str = ""
    whole: str = ""

    def text_of(self, name: str, *, port: int = 0) -> str:
        """Return the text for a platform."""
        organisation = re.search(r"@([\w-]+)/", _read("CODEOWNERS"))
        values = {"<name>": name, "<NAME>": name.upper(), "<org>": organisation[1] if organisation else "org"}
        values |= {"<port>": str(port), "<second>": str(port + INSTANCE_PORT_STEP)} if port else {}
        return re.sub("<\\w+>", lambda found: values.get(found[0], found[0]), self.text)

    def pattern_of(self, name: str) -> str:
        """Return what fits the text of a platform with any port, and no text of one whose name is longer."""
        end = "" if self.text.endswith("\n") else r"(?![\w-])"
        return re.sub("<port>|<second>", r"\\d+", re.escape(self.text_of(name))) + end

    def end_of(self, name: str) -> str:
        """Return what fits the place after which the next platform stands."""
        return self.after.replace("<before>", name).replace("<BEFORE>", name.upper()) or self.pattern_of(name)

    def whole_of(self, name: str) -> str:
        """Return what fits all that the file says of a platform. The first of a list has its comma behind it."""
        pattern = self.pattern_of(name)
        if self.whole or not self.text.startswith(_BETWEEN):
            return self.whole.replace("<name>", name) or pattern
        alone = pattern.removeprefix(re.escape(_BETWEEN))
        return rf"{pattern}|{alone}, |{alone}"


REGISTRY_FILE: Final = "apps/product.py"
PLACES: Final = tuple(
    Place(**row) for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["place"]
)


class Edits(NamedTuple):
    """Changes of files.

    :param texts: the new text of each file that changes.
    :param missed: where nothing is changed, since the text there is another one: file and text, as one line.
    """

    texts: dict[str, str]
    missed: list[str]

    def replace(self, file: str, pattern: str, new: str, *, told: str) -> None:
        """Replace all that fits a regular expression; a product may have no such file."""
        text = self.texts.get(file, _read(file))
        changed, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        if count:
            self.texts[file] = changed
        elif text:
            self.missed.append(f"{file}: {told.strip()}")

    def write(self) -> None:
        """Write all files."""
        for file, text in self.texts.items():
            (SOURCE_ROOT / file).write_text(text)


def add_platform(name: str, *, platforms: list[str]) -> Edits:
    """Name a new platform in each place, after the last of `platforms`; where there is none, as the first."""
    edits, port = Edits({}, []), DEFAULT_PORT_BASE + len(platforms) + 1
    for place in PLACES:
        after, text = place.end_of(platforms[-1] if platforms else GATEWAY_APP), place.text_of(name, port=port)
        if not platforms:
            after, text = place.first or after, text.removeprefix(_BETWEEN)
        edits.replace(place.file, after, rf"\g<0>{text}", told=text)
    return edits


def remove_platform(name: str, *, platforms: list[str]) -> Edits:
    """Name a platform in no place any more, in the registry last. Those after it have lower ports from now on."""
    edits, at = Edits({}, []), platforms.index(name)
    for place in PLACES:
        edits.replace(place.file, place.whole_of(name), "", told=place.text_of(name))
    for port, other in enumerate(platforms[at + 1 :], start=DEFAULT_PORT_BASE + at + 1):
        for place in (place for place in PLACES if "<port>" in place.text):
            text = place.text_of(other, port=port)
            edits.replace(place.file, place.pattern_of(other), text, told=text)
    # An extra of a platform's name has the packages that it alone needs: `finance = ["reportlab>=4.4"]`.
    if f"\n{name} = [" in _read("pyproject.toml"):
        edits.replace("pyproject.toml", rf"^{name} = \[.*\]\n", "", told=f"{name} = [")
        edits.replace("Makefile", rf" --extra {name}(?![\w-])", "", told=f"--extra {name}")
    return Edits(dict(reversed(edits.texts.items())), edits.missed)


def _read(file: str) -> str:
    path = SOURCE_ROOT / file
    return path.read_text() if path.exists() else ""
