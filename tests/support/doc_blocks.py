"""The blocks of code in the documentation, and the commands that its text names."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from tests.support.harness import ROOT

#: Decisions and old versions tell of what was.
_PAST = ("docs/adr/", "CHANGELOG.md")
#: Folders of the checkout that hold no documentation of it.
_FOREIGN = {"node_modules", "build", "dist"}
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)\n(?P=indent)```", flags=re.DOTALL | re.MULTILINE
)
_REASON = re.compile(r"<!-- not run: (.+) -->\s*\Z")
_FILE = re.compile(r"`([\w-]+(?:/[\w.-]+)+\.\w+)`")


def pages() -> list[Path]:
    """Every page that tells what is true now."""
    # Not below the environment, which has thousands of folders.
    places = [ROOT.glob("*.md"), *(place.rglob("*.md") for place in ROOT.glob("[!.]*") if place.is_dir())]
    found = (path for place in places for path in place if _is_documentation(path.relative_to(ROOT)))
    return sorted(path for path in found if not str(path.relative_to(ROOT)).startswith(_PAST))


def _is_documentation(path: Path) -> bool:
    return not any(part.startswith(".") or part in _FOREIGN for part in path.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of code.

    :param page: path of the page, from the root.
    :param line: where the block begins.
    :param language: what stands behind the fence; empty if nothing does.
    :param file: the file that the line before the block names: the block is its text, or changes it, in a how-to.
    :param written: the block as it stands on the page.
    :param reason: why nothing tries the block: `<!-- not run: … -->` in the line before it.
    """

    page: str
    line: int
    language: str
    code: str
    file: str | None
    written: str
    reason: str | None = None

    @property
    def id(self) -> str:
        """What a test of the block is called, and where a person finds the block."""
        return f"{self.page}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page."""
    text = page.read_text()
    found = [
        Block(
            page=str(page.relative_to(ROOT)),
            line=text.count("\n", 0, match.start("indent")) + 1,
            language=match["language"],
            code=textwrap.dedent(match["code"]) + "\n",
            file=_named_file(text[: match.start()]),
            written=match["code"],
            reason=said[1] if (said := _REASON.search(text[: match.start()])) else None,
        )
        for match in _BLOCK.finditer(text)
    ]
    fences = len(re.findall(r"^ *```", text, flags=re.MULTILINE))
    assert fences == 2 * len(found), f"{page}: a block is not closed, or not indented like its beginning"
    return found


def _named_file(before: str) -> str | None:
    """The file that is named in the line before a block; the last one of several."""
    found = _FILE.findall(before.rstrip().rpartition("\n")[2])
    return found[-1] if found else None


def command_lines(code: str) -> list[str]:
    """The commands of a shell block, without comments; a command over several lines is one."""
    lines = code.replace("\\\n", " ").splitlines()
    return [command for line in lines if (command := re.sub(r"(^|\s)#.*", "", line).strip())]


def named_commands(page: Path) -> list[str]:
    """Commands in the text of a page: code that begins as `./manage.py` or `make` does."""
    text = _BLOCK.sub("", page.read_text()).replace(r"\|", "|")
    spans = re.findall(r"`([^`]+)`", text)
    return [" ".join(span.split()) for span in spans if re.match(r"(\w+=\S+ )*(\./manage\.py\b|make [a-z])", span)]
