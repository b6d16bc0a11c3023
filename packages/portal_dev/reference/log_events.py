"""docs/reference/log-events.md: what an operator may see of the log at WARNING or above, and what to do.

The events are read from the source: each call of a module's `logger`. What they mean is in `log_events.toml` beside this
module. An event that only one of the two has is an error.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.config.places import SOURCE_ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PAGE: Final = "docs/reference/log-events.md"
MEANINGS: Final = Path(__file__).with_name("log_events.toml")
FOLDERS: Final = (
    *("packages/portal", "packages/portal_oidc", "packages/portal_operate", "packages/portal_pages"),
    *("packages/jinja_onepage", "packages/sqlite_cache", "packages/fork_safety", "apps"),
)
_LEVELS: Final = {"warning": "WARNING", "error": "ERROR", "exception": "ERROR", "critical": "CRITICAL"}
#: Of a message on the page, at least.
_SHOWN_WORDS: Final = 2
#: Of a call whose level depends on something.
_ANY_LEVEL: Final = "WARNING"
_PLACEHOLDER: Final = re.compile(r"%(?:\.\d+)?[a-z]|%%")


class LogEvent(NamedTuple):
    """One message of one logger."""

    logger: str
    message: str
    level: str

    @property
    def name(self) -> str:
        """As it stands in the file with the meanings."""
        return f"{self.logger}: {self.message}"


def markdown() -> str:
    """The groups of events.

    :raises ValueError: an event is not described, or one is described that no code writes.
    """
    events = {event.name: event for event in events_of_source()}
    groups = tomllib.loads(MEANINGS.read_text())["group"]
    described = [name for group in groups for name in group["events"]]
    faults = [f"{MEANINGS.name} does not describe {name!r}" for name in sorted(events.keys() - set(described))]
    faults += [f"{MEANINGS.name} describes {name!r}, which no code writes" for name in described if name not in events]
    faults += [f"{MEANINGS.name} describes {name!r} twice" for name in {*described} if described.count(name) > 1]
    if faults:
        raise ValueError("\n".join(faults))
    shown = [[_shown(events[name].message) for name in group["events"]] for group in groups]
    return "\n".join(_section(group, _beginnings(shown, at)) for at, group in enumerate(groups))


def events_of_source(root: Path = SOURCE_ROOT) -> set[LogEvent]:
    """The events of all modules that a server runs."""
    found: set[LogEvent] = set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if "testing" not in path.parts:
                found.update(events_of(path.read_text(), module=_module(path.relative_to(root))))
    return found


def events_of(source: str, *, module: str) -> Iterator[LogEvent]:
    """The events of one module: calls of `logger = logging.getLogger(…)` at WARNING or above."""
    tree = ast.parse(source)
    loggers, constants = dict(_loggers(ast.walk(tree), module)), dict(_constants(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if name in loggers:
                level = _LEVELS.get(method, _ANY_LEVEL if method == "log" else "")
                message = args[1:2] if method == "log" else args[:1]
                for text in _texts(message, constants) if level else ():
                    yield LogEvent(loggers[name], text, level)
            case _:
                pass


def _loggers(nodes: Iterable[ast.AST], module: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="getLogger"), args=[given])
            ):
                yield name, str(given.value) if isinstance(given, ast.Constant) else module
            case _:
                pass


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(text))):
                yield name, text
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                yield name, text
            case _:
                pass


def _texts(nodes: Iterable[ast.expr], constants: Mapping[str, str]) -> Iterator[str]:
    """The messages that an argument may be."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Name(id=name) if name in constants:
                yield constants[name]
            case ast.IfExp(body=body, orelse=orelse):
                yield from _texts([body, orelse], constants)
            case _:
                raise ValueError(
                    f"the message of a log line should be a text, so that it can be described: {ast.unparse(node)}"
                )


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "packages" else parts)


def _section(group: Mapping[str, Any], beginnings: Iterable[str]) -> str:
    said = ", ".join(f"`{beginning}`" for beginning in beginnings)
    return f"## {group['heading']}\n\n{group['means']}\n\n**Do:** {group['do']}\n\n{said}\n"


def _beginnings(shown: list[list[str]], at: int) -> dict[str, None]:
    """The shortest beginnings of a group's messages that no message of another group has, each once."""
    others = [message.split() for group in (*shown[:at], *shown[at + 1 :]) for message in group]
    return dict.fromkeys(_beginning(message.split(), others) for message in shown[at])


def _beginning(words: list[str], others: list[list[str]]) -> str:
    for count in range(_SHOWN_WORDS, len(words)):
        told = words[:count]
        said = sum(bool(word.strip("…:")) for word in told)
        if said >= (1 if words[0].strip("…:") else _SHOWN_WORDS) and told not in [other[:count] for other in others]:
            return " ".join([*told, "…"])
    return " ".join(words)


def _shown(message: str) -> str:
    """A message with `…` for what is put in later."""
    return _PLACEHOLDER.sub(lambda found: "%" if found[0] == "%%" else "…", message).replace("`", "'")
