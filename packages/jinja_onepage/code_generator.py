"""Compiles what templates do most often into less Python: to write a value, and to read an attribute.

The compiled template does what Jinja2's own does, except that it writes nothing for a value that is None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from jinja2.compiler import CodeGenerator
from markupsafe import escape

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.compiler import Frame

#: Characters that do not stand in HTML as they are.
_SPECIAL: Final = re.compile(r"[&<>'\"]")


def written(value: object) -> str:
    """What `{{ row.city }}` writes: the value, escaped. A field that a row does not have is blank, not `None`."""
    kind = type(value)
    if kind is int or kind is float:
        return str(value)
    if kind is str and not _SPECIAL.search(value):  # type: ignore[call-overload]  # mypy does not follow `kind`
        return value  # type: ignore[return-value]  # as above
    return "" if value is None else escape(value)


class PageCodeGenerator(CodeGenerator):
    """The compiler of an environment that escapes always, and has the attribute :func:`written`.

    A page writes some hundred values. Jinja2's `escape` makes three objects for each of them, and its
    `environment.getattr` is a function of Python around the one that is called here.
    """

    def write_commons(self) -> None:
        """What each function of a template begins with."""
        super().write_commons()
        self.writeline("written = environment.written")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  named after Jinja2's class
        """`row.city`: the attribute; where there is none, what Jinja2 gives: the item of that name, or an undefined."""
        self.write("(_found if (_found := getattr((_owner := ")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r}, missing)) is not missing else environment.getattr(_owner, {node.attr!r}))")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:  # noqa: ARG002  of Jinja2
        self.write("(_shown if type(_shown := ")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:  # noqa: ARG002  of Jinja2
        self.write(") is Markup else written(_shown))")
