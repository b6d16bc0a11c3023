"""docs/reference/checks.md: the system checks, read from the code that writes their messages."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import portal
import portal_operate
from portal.store import STORE_IS_AWAY
from portal_operate.deployment_checks import DEPLOYMENT_CHECKS

PAGE: Final = "docs/reference/checks.md"
_ID: Final = re.compile(r"portal\.[a-z.]*[EW]\d+")
#: Other pages have the checks of declarations.
_ELSEWHERE: Final = (*DEPLOYMENT_CHECKS, "portal.query.")


def markdown() -> str:
    """Return the messages of each start, and the checks of a deployment."""
    found = [
        each for each in dict.fromkeys(_messages()) if _ID.fullmatch(each[0]) and not each[0].startswith(_ELSEWHERE)
    ]
    found.sort(key=lambda each: (each[0].rpartition(".")[0], each[0]))
    of_a_deployment = [
        (each, " ".join((inspect.getdoc(check) or "").split())) for each, check in DEPLOYMENT_CHECKS.items()
    ]
    return "\n".join(["## Of each start\n", *map(_row, found), "\n## Of a deployment\n", *map(_row, of_a_deployment)])


def _row(check: tuple[str, str]) -> str:
    return f"- `{check[0]}`: {check[1]}"


def _messages() -> Iterator[tuple[str, str]]:
    """Read the id and the text of each `Error` and `Warning`."""
    for path in sorted(path for package in (portal, portal_operate) for path in Path(*package.__path__).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="Error" | "Warning"), args=[first, *_], keywords=keywords):
                    given = {keyword.arg: _text(keyword.value) for keyword in keywords}
                    says = _text(first)
                    # A message that is made elsewhere is told by its hint.
                    yield given.get("id", ""), _marked(says if says != "…" else given.get("hint", ""))


def _text(node: ast.AST) -> str:
    """Return a string of the code; what is put in later is `…`."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_text, parts))
        case ast.Name(id="STORE_IS_AWAY"):
            return STORE_IS_AWAY
        case _:
            return "…"


def _marked(text: str) -> str:
    """Mark names of the code or of the environment: words in capitals or with an underscore."""
    marked = re.sub(r"(?<![\w/`…])(?:[A-Z]+(?:_[A-Z…]+)+|DEBUG)(?![\w`])", r"`\g<0>`", text)
    return " ".join(marked.split())
