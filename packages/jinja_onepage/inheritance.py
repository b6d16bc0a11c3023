"""Makes one template of a page, the layouts that it extends and the parts that it includes.

Jinja2 looks up layouts, blocks and parts at each rendering, and passes every piece of text through all of them. Here
they are joined once, when the page is compiled, and the text goes straight into one list.

Jinja2 knows one file for each template, so a fault in a layout or part is reported at the line of the page that extends
or includes it. That is why whole pages are not joined in `DEBUG`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from jinja2 import TemplateAssertionError, TemplateNotFound, nodes
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: What gives a name a value. A scope around such nodes keeps the name inside the block or part.
_SETS_NAMES: Final[tuple[type[nodes.Node], ...]] = (
    nodes.Assign,
    nodes.AssignBlock,
    nodes.Import,
    nodes.FromImport,
    nodes.Macro,
)
#: What an included part can't have, if its contents are to stand in the page.
_IS_PAGE: Final[tuple[type[nodes.Node], ...]] = (nodes.Extends, nodes.Block)
_PAGE: Final = "_joined_page"


class Joiner(NodeTransformer):
    """Joins one page.

    :param load: gives a copy of the tree of a template by its name.
    """

    def __init__(self, *, name: str | None, filename: str | None, load: Callable[[str], nodes.Template]) -> None:
        self._name = name
        self._filename = filename
        self._load_tree = load
        #: The contents of each block: those of the page first, those of the outermost layout last.
        self.blocks: dict[str, list[list[nodes.Node]]] = {}
        #: The block that is visited, and how many layouts above the page its contents stand.
        self._place = ("", 0)
        #: The included parts around what is visited.
        self._open_parts: list[str] = []
        #: Whether something in the present block or part gives a name a value.
        self._sets_names = False

    def join(self, page: nodes.Template, *, block: str = "") -> nodes.Template:
        """The page without `extends` and blocks; if `block` is given, only the contents of that block.

        :raises jinja2.TemplateAssertionError: the page can't be joined; the message says why.
        """
        layout, line, first = page, 0, list[nodes.Node]()
        layouts: set[str] = set()
        while True:
            self._note_blocks(layout, line=line)
            extends = layout.find(nodes.Extends)
            if extends is None:
                break
            line = line or extends.lineno
            first += self._statements(layout)
            if extends not in layout.body or not isinstance(extends.template, nodes.Const):
                self._fail("extends names one layout, as a constant, and stands in no other tag", line)
            name = extends.template.as_const()
            if name in {self._name, *layouts}:
                self._fail(f"the layouts extend each other in a circle, by way of {name!r}", line)
            layouts.add(name)
            layout = self._load(name, line=line)
        if block and block not in self.blocks:
            self._fail(f"there is no block {block!r}", 1)
        if not (line or block):
            # Nothing to join but parts. What the template exports to an `import` stays where Jinja2 looks for it.
            return nodes.Template(self._visit_all(layout.body), lineno=1)
        body = self._contents(block, 0) if block else self._visit_all(layout.body)
        # Inside `set`, Jinja2 collects the text in a list and joins it once, in place of passing it on piece by piece.
        text = nodes.AssignBlock(nodes.Name(_PAGE, "store"), None, [*self._visit_all(first), *body])
        return nodes.Template([text, nodes.Output([nodes.Name(_PAGE, "load")])], lineno=1)

    def visit_Block(self, node: nodes.Block) -> list[nodes.Node]:  # noqa: N802  named after Jinja2's class
        """A block: its contents, as the page or the nearest layout has them."""
        if node.required and len(self.blocks[node.name]) == 1:
            self._fail(f"the block {node.name!r} of a layout must be filled", node.lineno)
        return self._contents(node.name, 0)

    def visit_Include(self, node: nodes.Include) -> nodes.Node | list[nodes.Node]:  # noqa: N802  named after Jinja2's class
        """An included part: its contents. One whose name is computed stays an include."""
        if not isinstance(node.template, nodes.Const) or node.ignore_missing or not node.with_context:
            return node
        name = node.template.value
        # A part that includes itself, for a tree, goes on at each rendering.
        part = None if name in self._open_parts else self._load(name, line=node.lineno)
        if part is None or next(part.find_all(_IS_PAGE), None):
            return node
        self._open_parts.append(name)
        try:
            return self._visit_scoped(part.body)
        finally:
            self._open_parts.pop()

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:  # noqa: N802  named after Jinja2's class
        """Text and expressions; `{{ super() }}` becomes the layout's contents of the block."""
        result: list[nodes.Node] = []
        for child in node.nodes:
            if isinstance(child, nodes.Call) and isinstance(child.node, nodes.Name) and child.node.name == "super":
                block, level = self._place
                if level + 1 == len(self.blocks.get(block, ())):
                    self._fail("super() has nothing to show: no layout has this block", child.lineno)
                result += self._contents(block, level + 1)
            else:
                result.append(nodes.Output([self.visit(child)], lineno=node.lineno))
        return result

    def visit_Name(self, node: nodes.Name) -> nodes.Name:  # noqa: N802  named after Jinja2's class
        """A name. `super` has been replaced already where it can be."""
        if node.name in {"super", "self"} and node.ctx == "load":
            self._fail("use {{ super() }} alone, and not self", node.lineno)
        return node

    def generic_visit(self, node: nodes.Node) -> nodes.Node:
        """Any other node: its children, with neighbouring outputs made one."""
        self._sets_names = self._sets_names or isinstance(node, _SETS_NAMES)
        super().generic_visit(node)
        for field, value in node.iter_fields():
            if isinstance(value, list):
                setattr(node, field, _coalesced(value))
        return node

    def _statements(self, page: nodes.Template) -> list[nodes.Node]:
        """What a page that extends another does outside of blocks: it gives names their values. Text is not shown."""
        statements = [node for node in page.body if not isinstance(node, nodes.Output | nodes.Block | nodes.Extends)]
        for node in statements:
            if not isinstance(node, _SETS_NAMES):
                self._fail("this stands outside of all blocks, in a page that extends another", node.lineno)
        return statements

    def _contents(self, block: str, level: int) -> list[nodes.Node]:
        outer, self._place = self._place, (block, level)
        try:
            return self._visit_scoped(self.blocks[block][level])
        finally:
            self._place = outer

    def _visit_scoped(self, body: Iterable[nodes.Node]) -> list[nodes.Node]:
        outer, self._sets_names = self._sets_names, False
        visited = self._visit_all(body)
        sets_names, self._sets_names = self._sets_names, outer
        return [nodes.Scope(visited)] if sets_names else visited

    def _visit_all(self, body: Iterable[nodes.Node]) -> list[nodes.Node]:
        visited: list[nodes.Node] = []
        for node in body:
            found = self.visit(node)
            visited += [found] if isinstance(found, nodes.Node) else found
        return _coalesced(visited)

    def _note_blocks(self, template: nodes.Template, *, line: int) -> None:
        own: set[str] = set()
        for node in template.find_all(nodes.Block):
            if node.name in own:
                self._fail(f"the block {node.name!r} is defined twice", line or node.lineno)
            own.add(node.name)
            self.blocks.setdefault(node.name, []).append(node.body)

    def _load(self, name: str, *, line: int) -> nodes.Template:
        try:
            tree = self._load_tree(name)
        except TemplateNotFound as error:
            self._fail(f"there is no template {error.name!r}", line)
        tree.set_lineno(line, override=True)
        return tree

    def _fail(self, message: str, line: int) -> NoReturn:
        raise TemplateAssertionError(message, line, self._name, self._filename)


def _coalesced(body: list[nodes.Node]) -> list[nodes.Node]:
    result: list[nodes.Node] = []
    for node in body:
        if isinstance(node, nodes.Output) and result and isinstance(result[-1], nodes.Output):
            result[-1] = nodes.Output([*result[-1].nodes, *node.nodes], lineno=result[-1].lineno)
        else:
            result.append(node)
    return result
