"""State of a module that a function changes: all requests of a process share it, and no other process has it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from portal_dev.source_checks.faults import ON_PURPOSE, Finding, is_allowed
from portal_dev.source_checks.python_texts import dotted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_KINDS: Final = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)
#: What makes the like.
_MAKERS: Final = frozenset({"dict", "list", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"})
_CHANGES: Final = frozenset(
    {
        *("add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "insert", "pop"),
        *("popitem", "popleft", "remove", "reverse", "setdefault", "sort", "subtract", "update"),
    }
)


def shared_state(tree: ast.Module, lines: Mapping[int, str], imported: Mapping[str, str]) -> Iterator[Finding]:
    """The lines of a module's functions that change what its requests share.

    :param lines: of the module; a comment may allow a change also where the name is made.
    :param imported: what :func:`.python_texts.imported_names` gives.
    """
    shared = _mutable_names(tree, imported)
    allowed = {name for name, line in shared.items() if is_allowed(lines[line], ON_PURPOSE)}
    for node in tree.body:
        for line, name in sorted(_changes(node, shared.keys(), local=None)):
            if name not in allowed:
                yield Finding(
                    line,
                    "E015",
                    f"{name} is changed here: all requests of this process share it, those of other users too, and"
                    " other processes lack it",
                    "keep what belongs to one request in a variable, and what outlives it in the backend, through a"
                    f" hook; what everybody may share needs a comment in its line, `# {ON_PURPOSE} why`",
                )


def _mutable_names(tree: ast.Module, imported: Mapping[str, str]) -> dict[str, int]:
    """What can be changed, by name, and the line in which it is made: also of classes, and what is imported."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            made = {name: line for each in node.body for name, line in _assigned(each, imported)}
            found |= {f"{node.name}.{name}": line for name, line in made.items()}
        elif isinstance(node, ast.ImportFrom):
            # A constant's name, for what nobody knows here.
            names = [each.asname or each.name for each in node.names]
            found |= {name: node.lineno for name in names if name.isupper()}
        else:
            found |= dict(_assigned(node, imported))
    return found


def _assigned(node: ast.stmt, imported: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    made_by = dotted(value.func, imported).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    if isinstance(value, _KINDS) or made_by in _MAKERS:
        yield from ((target.id, node.lineno) for target in targets if isinstance(target, ast.Name))


def _changes(node: ast.AST, shared: Collection[str], *, local: frozenset[str] | None) -> Iterator[tuple[int, str]]:
    """Each line that changes a shared name, with the name.

    :param local: the names of the functions around it; None outside of functions.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        local = (local or frozenset()) | _own_names(node)
    if local is not None:
        yield from (
            (line, name)
            for line, name in _changed(node)
            if isinstance(node, ast.Global) or (name in shared and name.partition(".")[0] not in local)
        )
    for child in ast.iter_child_nodes(node):
        yield from _changes(child, shared, local=local)


def _changed(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The line of a piece of code, and what it changes: `kept["a"] = 1`, `kept["a"].append(1)`, `global kept`."""
    match node:
        case ast.Global(names=names):
            yield from ((node.lineno, name) for name in names)
        case ast.Call(func=ast.Attribute(value=changed, attr=attr)) if attr in _CHANGES:
            yield node.lineno, _root(changed)
        case ast.Subscript(value=changed, ctx=ast.Store() | ast.Del()):
            yield node.lineno, _root(changed)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return dotted(node, {})


def _own_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """What a function calls by a name of its own; not what the functions and classes inside it do."""
    names = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    of_the_module: set[str] = set()
    body = function.body if isinstance(function.body, list) else [function.body]
    left: list[ast.AST] = [*body]
    while left:
        node = left.pop()
        if isinstance(node, ast.Global):
            of_the_module.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            left += ast.iter_child_nodes(node)
    return frozenset(names - of_the_module)
