"""The page of the system checks, made from the code that writes their messages."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import portal
import portal_operate
from portal.store import STORE_IS_AWAY
from portal_operate.deployment_checks import DEPLOYMENT_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = "docs/reference/checks.md"

#: Names that stand for an id in the code.
_NAMED_IDS: Final = {"STORE_IS_AWAY": STORE_IS_AWAY}
_LEVELS: Final = frozenset({"Error", "Warning"})


class _Message(NamedTuple):
    """A message in the code."""

    message_id: str
    says: str


def markdown() -> str:
    """The messages of each start, and those of a deployment."""
    messages = sorted(_messages(), key=lambda message: (message.message_id.rpartition(".")[0], message.message_id))
    usual = [
        message for message in messages if not message.message_id.startswith((*DEPLOYMENT_CHECKS, "portal.query."))
    ]
    lines = ["## Of each start", ""]
    lines += [f"- `{each.message_id}`: {each.says}" for each in usual]
    found = [f"- `{message_id}`: {_finds(check)}" for message_id, check in DEPLOYMENT_CHECKS.items()]
    return "\n".join([*lines, "", "## Of a deployment", "", *found])


def _finds(check: object) -> str:
    """What a check is about: its docstring."""
    return " ".join((inspect.getdoc(check) or "").split())


def _messages() -> Iterator[_Message]:
    """Every message with an id of the portal's, each once, in the order of the files."""
    seen: set[tuple[str, str]] = set()
    for path in sorted(path for package in (portal, portal_operate) for path in Path(*package.__path__).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            message = _read(node)
            if message is not None and (message.message_id, message.says) not in seen:
                seen.add((message.message_id, message.says))
                yield message


def _read(node: ast.AST) -> _Message | None:
    """A call of `Error` or `Warning` with an id."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _LEVELS:
        return None
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    message_id = _text(given.get("id"))
    message_id = _NAMED_IDS.get(message_id.strip("…"), message_id) if message_id else ""
    if not re.fullmatch(r"portal\.[a-z.]*[EW]\d+", message_id) or not node.args:
        return None
    # A message that is made elsewhere is told by its hint.
    says = _text(node.args[0])
    return _Message(message_id, _cell(says if says != "…" else _text(given.get("hint"))))


def _text(node: ast.AST | None) -> str:
    """A string of the code; what is put in later is `…`."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) for part in parts)
        case ast.Name(id=name) if name in _NAMED_IDS:
            return name
        case None:
            return ""
        case _:
            return "…"


def _cell(text: str) -> str:
    # A word in capitals or with an underscore is a name of the code or of the environment.
    marked = re.sub(r"(?<![\w/`…])(?:[A-Z]+(?:_[A-Z…]+)+|DEBUG)(?![\w`])", r"`\g<0>`", text)
    return " ".join(marked.split())
