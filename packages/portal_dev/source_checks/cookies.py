"""The portal's cookies in the Python of an app: tokens that it reads, cookies that it sets itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from portal.config import cookies
from portal_dev.source_checks.faults import Finding
from portal_dev.source_checks.python_texts import constant, dotted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The names of the portal's cookies, by the constants of their names.
_COOKIES: Final = {name: value for name, value in vars(cookies).items() if name.isupper() and isinstance(value, str)}
_TOKENS: Final = frozenset({cookies.VAR_ACCESS_TOKEN, cookies.VAR_REFRESH_TOKEN})
_SETTERS: Final = frozenset({"set_cookie", "set_signed_cookie", "delete_cookie"})
#: The id of what reads a token, also in a template, and what to write there.
READS: Final = "E013"
INSTEAD: Final = (
    "a hook sends the token itself, ClientQueries.use_get_clients_query(request); who is signed in, tells"
    " UserQueries.use_get_me_query(request)"
)


def cookie_findings(tree: ast.Module, imported: Mapping[str, str]) -> Iterator[Finding]:
    """The lines of a module with a cookie that is not the app's.

    :param imported: what :func:`.python_texts.imported_names` gives.
    """
    set_here = {}
    for node in ast.walk(tree):
        for key in _keys_set(node):
            name = _cookie(key, imported)
            if name in _COOKIES.values():
                set_here[id(key)] = name
                yield Finding(
                    key.lineno,
                    "E014",
                    f"the cookie {name} is set here: a sign-in that the portal does not know of may follow it, or end",
                    "the portal sets its own cookies; name yours otherwise, such as finance_columns",
                )
    for node in ast.walk(tree):
        name = _cookie(node, imported) if isinstance(node, ast.expr) and id(node) not in set_here else ""
        if name in _TOKENS:
            told = f"{name} holds a token, which no app reads: it could stand in a page or in an error"
            yield Finding(node.lineno, READS, told, INSTEAD)


def _keys_set(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions for the names of the cookies that a piece of code sets."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=args, keywords=keywords) if attr in _SETTERS:
            yield from args[:1] or [keyword.value for keyword in keywords if keyword.arg == "key"]
        case ast.Subscript(value=ast.Attribute(attr="cookies"), slice=key, ctx=ast.Store() | ast.Del()):
            yield key


def _cookie(node: ast.expr, imported: Mapping[str, str]) -> str:
    """The name of the cookie for which an expression stands, whatever the code calls its constant; else empty."""
    written = constant(node)
    return _COOKIES.get(dotted(node, imported).rpartition(".")[2], "") if written is None else written
