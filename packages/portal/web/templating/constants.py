"""Evaluates, while a template is compiled, the calls whose arguments are constants: `_("Name")`, `icon("plus")`.

An environment belongs to one language, so such a call gives the same result at each rendering.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def fold_constants(
    template: nodes.Template, *, functions: Mapping[str, Callable[..., object]], values: Mapping[str, object]
) -> nodes.Template:
    """Replace calls and names by their values. A name to which the template gives another value is left alone.

    :param functions: each depends on nothing but its arguments and the language.
    :param values: names that stand for a constant.
    """
    own = set(_names_set_in(template))
    folder = _ConstantFolder(
        functions={name: function for name, function in functions.items() if name not in own},
        values={name: value for name, value in values.items() if name not in own},
    )
    folded: nodes.Template = folder.visit(template)
    return folded


def _names_set_in(template: nodes.Template) -> Iterator[str]:
    yield from (node.name for node in template.find_all(nodes.Name) if node.ctx != "load")
    yield from (node.name for node in template.find_all(nodes.Macro))
    yield from (node.target for node in template.find_all(nodes.Import))
    for node in template.find_all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in node.names)


class _ConstantFolder(NodeTransformer):
    def __init__(self, *, functions: Mapping[str, Callable[..., object]], values: Mapping[str, object]) -> None:
        self._functions = functions
        self._values = values

    def visit_Name(self, node: nodes.Name) -> nodes.Expr:  # noqa: N802  named after Jinja2's class
        return nodes.Const(self._values[node.name], lineno=node.lineno) if node.name in self._values else node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802  named after Jinja2's class
        self.generic_visit(node)
        function = self._functions.get(node.node.name) if isinstance(node.node, nodes.Name) else None
        if function is None or node.dyn_args is not None or node.dyn_kwargs is not None:
            return node
        try:
            args = [arg.as_const() for arg in node.args]
            kwargs = {kwarg.key: kwarg.value.as_const() for kwarg in node.kwargs}
            return nodes.Const(function(*args, **kwargs), lineno=node.lineno)
        except Exception:  # noqa: BLE001  as Jinja2's own optimizer: the call raises where it stands, if it is reached
            return node
