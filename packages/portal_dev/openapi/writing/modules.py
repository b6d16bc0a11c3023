"""The modules that a schema becomes: where each stands, what it declares, and what can't be declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from portal_dev.openapi.schema import ListOf, ObjectOf, has_only_names
from portal_dev.openapi.writing.classes import Classes
from portal_dev.openapi.writing.hooks import Hook, Hooks
from portal_dev.openapi.writing.names import (
    Declared,
    FreeNames,
    Library,
    attribute_name,
    class_name,
    plain_class_name,
    plural,
    shown,
    singular,
    snake,
)
from portal_dev.openapi.writing.parameters import why_not_sent
from portal_dev.openapi.writing.resources import (
    Group,
    ResourcePlace,
    fixed_segments,
    grouped,
    is_row,
    standard,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal_dev.openapi.schema import Operation, Shape
    from portal_dev.openapi.writing.resources import PlacedCall
#: How much of a row a schema has, in its name: `full_repository`.
_DEGREE: Final = re.compile(r"^(full|simple|minimal|basic|short|nullable)_|_(full|simple|minimal|basic|short|detail)$")
#: Words of a noun; a longer one would make names of hooks that fill a line.
_MAX_WORDS: Final = 4


class Module:
    """One module of `portal.services`.

    :ivar folder: its domain; empty for a module that is a domain of its own.
    :ivar dotted: its dotted name.
    :ivar left_out: calls and parameters that can't be declared, each with the reason.
    :ivar places: the paths whose calls it declares.
    :ivar classes: those that it declares.
    :ivar imported: classes of other modules, by the dotted name of the module.
    :ivar resources: name and source of each `resource(…)`.
    """

    def __init__(self, folder: str, name: str, calls: list[PlacedCall], *, package: str) -> None:
        self.folder, self.name = folder, name
        self.dotted = ".".join(filter(None, (package, folder, name)))
        self.left_out = [f"{_call_of(call)}: {reason}" for call in calls for reason in _not_declared(call.operation)]
        declared = [call for call in calls if not any(_not_declared(call.operation))]
        self.left_out += [f"{_call_of(call)}: {reason}" for call in declared for reason in _not_sent(call.operation)]
        self.places = _places(declared)
        self.group = _group_name(self.places, name)
        self.doc = _doc(self.places, name)
        self.classes: list[Declared] = []
        self.imported: dict[str, set[str]] = {}
        self.resources: list[tuple[str, str]] = []
        self.hooks: list[Hook] = []

    @property
    def path(self) -> str:
        """Its file below `portal/services`."""
        return f"{self.folder}/{self.name}.py" if self.folder else f"{self.name}.py"

    def declare(self, library: Library, names: FreeNames) -> None:
        """Declare the calls, with names that no other module has: by then all modules are there."""
        classes = Classes(library, module=self.dotted, scope=self.folder or self.dotted)
        hooks = Hooks(group=self.group, classes=classes, names=names)
        for place in self.places:
            hooks.add(place)
        self.classes, self.imported = classes.declared, classes.imported
        self.resources, self.hooks = hooks.resources, hooks.found
        self.left_out += classes.left_out


def modules_of(operations: Iterable[Operation], *, package: str) -> list[Module]:
    """The modules for these operations, in the order of the schema.

    :param package: dotted name of the package that they will stand in.
    """
    groups: dict[tuple[str, str], list[PlacedCall]] = {}
    found = grouped(operations)
    folders = {_fixed(group)[0] for group in found if len(_fixed(group)) > 1}
    for group in found:
        fixed = _fixed(group)
        folder = attribute_name(fixed[0]) if len(fixed) > 1 or fixed[0] in folders else ""
        groups.setdefault((folder, attribute_name(fixed[-1])), []).extend(group.calls)
    modules = [Module(folder, name, calls, package=package) for (folder, name), calls in groups.items()]
    library = Library(rows=frozenset(row.pointer for each in modules for place in each.places for row in _rows(place)))
    hook_names: dict[str, FreeNames] = {}
    for module in modules:
        module.declare(library, hook_names.setdefault(module.folder or module.name, FreeNames()))
    return modules


def _fixed(group: Group) -> list[str]:
    """The segments that name a module. Actions stand with those beside them: `/auth/login` and `/auth/logout`."""
    fixed = fixed_segments(group.root) or ["root"]
    return fixed[:-1] if group.is_actions and len(fixed) > 1 else fixed


def _places(calls: list[PlacedCall]) -> list[ResourcePlace]:
    by_path: dict[str, list[PlacedCall]] = {}
    for call in calls:
        by_path.setdefault(call.place, []).append(call)
    return [
        ResourcePlace(path=path, noun=_noun(path, found), calls=found, resource=standard(path, found))
        for path, found in sorted(by_path.items(), key=lambda each: each[0].count("/"))
    ]


def _noun(path: str, calls: list[PlacedCall]) -> str:
    """One of the rows at a path, in snake_case, by the name of its schema; or the last part of the path."""
    last = attribute_name((fixed_segments(path) or ["root"])[-1])
    if all(call.role in {"read", "action"} for call in calls):
        return last
    for call in calls:
        shape = call.operation.page_item or call.operation.answer.shape
        row = shape.item if isinstance(shape, ListOf) else shape
        is_row_of_list = call.role != "list" or call.operation.page_item is not None or isinstance(shape, ListOf)
        if isinstance(row, ObjectOf) and row.name and is_row_of_list and call.role != "delete":
            found = _DEGREE.sub("", snake(plain_class_name(row.name)))
            return found if found.count("_") < _MAX_WORDS else singular(last)
    return singular(last)


def _rows(place: ResourcePlace) -> Iterator[ObjectOf]:
    shapes: list[Shape | None] = [call.operation.page_item for call in place.calls]
    if place.resource is not None:
        shapes += [place.resource.item, place.resource.detail]
    yield from filter(is_row, shapes)


def _group_name(places: list[ResourcePlace], name: str) -> str:
    """The beginning of the groups' names: of the rows, or of what the one query reads."""
    rows = _first_rows(places)
    return class_name(rows.noun) if rows else _read_alone(places) or class_name(name)


def _doc(places: list[ResourcePlace], name: str) -> str:
    """The docstring of a module."""
    rows = _first_rows(places)
    title = plural(rows.noun) if rows else snake(_read_alone(places) or name)
    return f"{title[:1].upper()}{title[1:]}.".replace("_", " ")


def _first_rows(places: list[ResourcePlace]) -> ResourcePlace | None:
    return next((each for each in places if any(call.role not in {"read", "action"} for call in each.calls)), None)


def _read_alone(places: list[ResourcePlace]) -> str:
    """The class of the one object that is read; empty where none or several are."""
    read = [call.operation.answer.shape for place in places for call in place.calls if call.role == "read"]
    names = [shape.name for shape in read if isinstance(shape, ObjectOf) and shape.name]
    return plain_class_name(names[0]) if len(names) == 1 else ""


def _call_of(call: PlacedCall) -> str:
    return f"`{call.operation.method} {shown(call.operation.path)}`"


def _not_declared(operation: Operation) -> Iterator[str]:
    """Why a call can't be declared; nothing for one that can."""
    if operation.deprecated:
        yield "it is deprecated"
    if (
        {"?", "#"} & set(operation.path)
        or operation.path.startswith("//")
        or {".", ".."} & set(operation.path.split("/"))
    ):
        yield "the url of a hook is a path alone"
    elif not has_only_names(operation.path):
        yield "a parameter of its path should be a name in braces"
    if operation.method == "GET" and operation.body.required:
        yield "a query sends no body"
    if operation.method == "GET" and operation.answer.shape is None and not operation.answer.note:
        yield "its answer is nothing that a hook reads"
    for what, body in (("its body", operation.body), ("its answer", operation.answer)):
        if body.note:
            yield f"{what}: {body.note}"
    for each in operation.parameters:
        if each.required and (reason := why_not_sent(each, operation)):
            yield f"the parameter {shown(each.name)} is {reason}"


def _not_sent(operation: Operation) -> Iterator[str]:
    for each in operation.parameters:
        if reason := why_not_sent(each, operation):
            yield f"without the parameter {shown(each.name)}, {reason}"
    if operation.method == "GET" and operation.body.shape is not None:
        yield "without its body, which queries do not send"
    for header in operation.headers:
        yield f"{'it needs' if header.required else 'without'} the {shown(header.title)}, which hooks do not send"
