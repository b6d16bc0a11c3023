"""The rows in templates of declared pages: `{{ row.buyerr }}` and `{{ cell.buyerr }}` are told before a page opens."""

from __future__ import annotations

from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

from jinja2 import TemplateNotFound, TemplateSyntaxError, nodes

from portal.config.places import place
from portal.query import Record
from portal_dev.source_checks.faults import SourceFault, name_hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.web.templating import PageEnvironment
    from portal_pages import ShownRow

#: Name to type; None for a type that is not known.
_Scope = dict[str, Any]
_SEQUENCES: Final = (list, tuple)


def row_faults(shown: ShownRow, environment: PageEnvironment) -> Iterator[SourceFault]:
    """Attributes that the row of a page does not have, cells without a column, or a template that is not there."""
    if shown.template not in environment.list_templates(extensions=["html"]):
        file, line = shown.declared_at
        yield SourceFault(
            path=Path(file),
            line=line,
            message=f"there is no template {shown.template!r}, which this page needs",
            hint=name_hint(shown.template, environment.list_templates(extensions=["html"])),
            id="E008",
        )
        return
    page = place(*shown.declared_at)
    yield from _Reader(environment, page=page).read(shown.template, {"row": shown.row})
    yield from _cell_faults(shown, environment, page=page)


def _cell_faults(shown: ShownRow, environment: PageEnvironment, *, page: str) -> Iterator[SourceFault]:
    """Cells that stand below the heading of another column, or of none."""
    try:
        tree = environment.tree_with_calls(shown.template)
    except TemplateSyntaxError:
        # Told when it is compiled.
        return
    cells = [
        (node.attr, node.lineno)
        for node in tree.find_all(nodes.Getattr)
        if isinstance(node.node, nodes.Name) and node.node.name == "cell"
    ]
    columns = list(shown.columns)
    if not cells or list(dict(cells)) == columns:
        return
    name, line = next((cell for cell in cells if cell[0] not in shown.columns), ("", cells[0][1]))
    order = ", ".join(columns) or "none"
    yield SourceFault(
        path=environment.path_of(shown.template),
        line=line,
        message=(f"the list has no column {name!r}" if name else "the cells of the row are not the columns of the list")
        + f" (the page is declared at {page})",
        hint=name_hint(name, columns) if name else f"write one cell for each column, in this order: {order}",
        id="E012",
    )


class _Reader:
    """Reads a template with its layouts and parts.

    :param page: where the page is declared, for the messages.
    """

    def __init__(self, environment: PageEnvironment, *, page: str) -> None:
        self._environment = environment
        self._page = page
        self._path = Path()
        self._open: list[str] = []

    def read(self, name: str, scope: _Scope) -> Iterator[SourceFault]:
        """The faults of a template, with the types of its variables."""
        if name in self._open:
            return
        try:
            tree = self._environment.tree_with_calls(name)
        except (TemplateNotFound, TemplateSyntaxError):
            # Told when it is compiled.
            return
        outer, self._path = self._path, self._environment.path_of(name)
        self._open.append(name)
        yield from self._visit(tree, scope)
        self._open.pop()
        self._path = outer

    def _visit(self, node: nodes.Node, scope: _Scope) -> Iterator[SourceFault]:
        match node:
            case nodes.For(target=nodes.Name(name=name)):
                yield from self._visit(node.iter, scope)
                inner = {**scope, name: _item_of(_type_of(node.iter, scope))}
                for child in (*node.body, *node.else_, *([node.test] if node.test else ())):
                    yield from self._visit(child, inner)
                return
            case nodes.Macro() | nodes.CallBlock():
                scope = scope | dict.fromkeys(argument.name for argument in node.args)
            case nodes.Assign(target=nodes.Name(name=name)):
                scope[name] = _type_of(node.node, scope)
            case nodes.Getattr():
                yield from self._attribute(node, scope)
            case (
                nodes.Include(template=nodes.Const(value=str(part)))
                | nodes.Extends(template=nodes.Const(value=str(part)))
            ):
                yield from self.read(part, dict(scope))
            case _:
                pass
        for child in node.iter_child_nodes():
            yield from self._visit(child, scope)

    def _attribute(self, node: nodes.Getattr, scope: _Scope) -> Iterator[SourceFault]:
        kind = _type_of(node.node, scope)
        if _is_record(kind) and not hasattr(kind, node.attr):
            yield SourceFault(
                path=self._path,
                line=node.lineno,
                message=f"{kind.__name__} has no attribute {node.attr!r} (the page is declared at {self._page})",
                hint=name_hint(node.attr, kind.__struct_fields__),
                id="E010",
            )


def _type_of(node: nodes.Node, scope: _Scope) -> Any:
    if isinstance(node, nodes.Name):
        return scope.get(node.name)
    if isinstance(node, nodes.Getattr):
        owner = _type_of(node.node, scope)
        return _attribute_type(owner, node.attr) if _is_record(owner) else None
    return None


def _attribute_type(record: type[Record], name: str) -> Any:
    """What an attribute has, if it is not None."""
    try:
        kind = get_type_hints(record).get(name)
    except NameError:
        # A type that is not there at run time: told when the endpoints are checked.
        return None
    if get_origin(kind) in {Union, UnionType}:
        kinds = [each for each in get_args(kind) if each is not NoneType]
        return kinds[0] if len(kinds) == 1 else None
    return kind


def _item_of(kind: Any) -> Any:
    items = get_args(kind) if get_origin(kind) in _SEQUENCES else ()
    return items[0] if items else None


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)
