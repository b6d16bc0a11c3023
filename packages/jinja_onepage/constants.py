"""Evaluates, while a template is compiled, the calls whose arguments are constants: `_("Name")`, `icon("plus")`.

An environment belongs to one language, so such a call gives the same result at each rendering.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from jinja2 import TemplateAssertionError, nodes
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Functions that translate, and how many of their arguments are texts.
TEXTS: Final = {"_": 1, "gettext": 1, "ngettext": 2}


class ConstantFolder(NodeTransformer):
    """Replaces calls and names by their values. A name to which the template gives another value is left alone.

    :param functions: each depends on nothing but its arguments and the language.
    :param values: names that stand for a constant.
    """

    def __init__(
        self,
        *,
        functions: Mapping[str, Callable[..., object]],
        values: Mapping[str, object],
        name: str | None,
        filename: str | None,
    ) -> None:
        self._functions = functions
        self._values = values
        self._name = name
        self._filename = filename
        self._own: set[str] = set()

    def fold(self, template: nodes.Template) -> nodes.Template:
        """The template with its constants.

        :raises jinja2.TemplateAssertionError: a text is not a constant, or does not fit its values.
        """
        self._own = set(_names_set_in(template))
        folded: nodes.Template = self.visit(template)
        return folded

    def visit_Name(self, node: nodes.Name) -> nodes.Expr:  # noqa: N802  named after Jinja2's class
        """A name: its value, if it stands for a constant."""
        is_constant = node.name in self._values and node.name not in self._own
        return nodes.Const(self._values[node.name], lineno=node.lineno) if is_constant else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802  named after Jinja2's class
        """`APP ~ "/navigation.html"`: the text, if all of its parts are constants."""
        self.generic_visit(node)
        parts = [part.value for part in node.nodes if isinstance(part, nodes.Const)]
        return nodes.Const("".join(map(str, parts)), lineno=node.lineno) if len(parts) == len(node.nodes) else node

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.CallBlock:  # noqa: N802  named after Jinja2's class
        """`{% call %}`: its contents. The macro that it calls has more than constants."""
        self.generic_visit(node.call)
        node.body = [self.visit(child) for child in node.body]
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802  named after Jinja2's class
        """A call: its result, if the function is one of ours and every argument is a constant."""
        self.generic_visit(node)
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        if name not in self._functions or name in self._own:
            return node
        texts = node.args[: TEXTS.get(name, 0)]
        if not all(isinstance(text, nodes.Const) for text in texts):
            # A text is HTML as it stands. A value would be written without being escaped.
            self._fail(f"the text of {name}() is a constant", node)
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            return node
        try:
            args = [arg.as_const() for arg in node.args]
            kwargs = {kwarg.key: kwarg.value.as_const() for kwarg in node.kwargs}
        except nodes.Impossible:
            return node
        try:
            return nodes.Const(self._functions[name](*args, **kwargs), lineno=node.lineno)
        except Exception as error:  # noqa: BLE001  as Jinja2's own optimizer: the call raises where it stands, if it is reached
            if name in TEXTS:
                self._fail(f"a text or its translation can't be written: {error}", node)
            return node

    def _fail(self, message: str, node: nodes.Node) -> NoReturn:
        raise TemplateAssertionError(message, node.lineno, self._name, self._filename)


def _names_set_in(template: nodes.Template) -> Iterator[str]:
    yield from (node.name for node in template.find_all(nodes.Name) if node.ctx != "load")
    yield from (node.name for node in template.find_all(nodes.Macro))
    yield from (node.target for node in template.find_all(nodes.Import))
    for node in template.find_all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in node.names)
