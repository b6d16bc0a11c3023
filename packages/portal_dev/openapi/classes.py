"""Modules of declarations: their records, enumerations and parameters, and their source."""

import builtins
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.template import Context, Engine
from inflection import singularize

import portal.query
from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD
from portal.config.places import SOURCE_ROOT
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import attribute_name, camel, class_name, member_name, unused, words
from portal_dev.openapi.reader import Operation, Parameter, Shape

_TYPES: Final = {"text": "str", "integer": "int", "number": "float", "boolean": "bool", "decimal": "Decimal"}
_TYPES.update({"time": "datetime", "day": "date", "any": "Any"})
#: None for the others: zero would be a wrong number.
_DEFAULTS: Final = {"text": '""', "boolean": "False", "list": "()"}
_SENT_TYPES: Final = {"integer": "int", "number": "float", "boolean": "bool", "list": "Values"}
_TAKEN: Final = {*dir(portal.query), *dir(builtins), "Any", "Decimal", "Literal"}
_PARAMS: Final = {"params", "pages", "cursor", "q", "sort"}


class Declared(NamedTuple):
    """A class that is written; an enumeration has its members by value."""

    name: str
    members: dict[str, str]


@dataclass(kw_only=True)
class ResourceCalls:
    """The calls of one path and of its rows that `resource(…)` declares, with their hooks, by role.

    :param noun: one of its rows, in snake_case.
    """

    path: str
    noun: str
    row: Shape
    calls: dict[str, Operation]
    hooks: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Module:
    """One module of `portal.services`, with all classes that it needs.

    :param path: its file below `portal/services`.
    :param dotted: its name.
    :param hook_names: those of the folder, whose hooks are of one domain.
    :ivar declared: its classes, by pointer.
    :ivar reads: its queries, each with the path that they read.
    :ivar left_out: calls, parameters and fields that can't be declared, each with the reason.
    """

    path: str
    dotted: str
    hook_names: set[str]
    class_names: set[str] = field(default_factory=_TAKEN.copy)
    declared: dict[str, Declared] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)
    resources: list[ResourceCalls] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    hooks: dict[str, dict[str, str]] = field(default_factory=lambda: {"Query": {}, "Mutation": {}})
    reads: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The words of its file's name."""
        return " ".join(words(Path(self.path).stem))

    @property
    def group(self) -> str:
        """The beginning of the names of its groups."""
        return class_name(singularize(self.title))

    @property
    def notes(self) -> str:
        """Comments that say what is left out."""
        lines = map(_comment, ["Not declared, or not whole:", *self.left_out])
        return "\n".join(textwrap.fill(each, 118, subsequent_indent="#   ") for each in lines) if self.left_out else ""

    def named(self, shape: Shape, wanted: str) -> Declared:
        """Return the class of an object or an enumeration.

        :param wanted: its name, where the schema has none.
        """
        if shape.pointer not in self.declared:
            names = set[str]()
            members = {value: unused(member_name(value), names) for value in shape.values}
            # In FastAPI's examples the row is `ItemPublic`.
            made = Declared(unused(class_name(shape.name.removesuffix("Public") or wanted), self.class_names), members)
            self.declared[shape.pointer] = made
            if members:
                self._write(made.name, "OpenEnum", [f"{member} = {value!r}" for value, member in members.items()])
            else:
                self._write_record(made.name, shape)
        return self.declared[shape.pointer]

    def _write(self, name: str, base: str, lines: Iterable[str]) -> None:
        title = " ".join(words(name)).capitalize()
        self.classes.append("\n    ".join([f"class {name}({base}):", f'"""{title}."""\n', *lines]))

    def _write_record(self, name: str, shape: Shape) -> None:
        is_row, lines = ID_FIELD in shape.fields, list[str]()
        names = {"id"} if is_row else set[str]()
        for wire, each in shape.fields.items():
            if is_row and wire in {ID_FIELD, CREATED_AT_FIELD}:
                continue
            kind = self.type_of(each, f"{name}_{wire}")
            default = "None" if each.nullable else _DEFAULTS.get(each.kind, "None")
            lines += [_comment(f"Any JSON: {each.note}.")] if each.note else []
            lines.append(_attribute(unused(attribute_name(wire), names), kind, default, wire))
        self._write(name, "Row" if is_row else "Record", lines)

    def type_of(self, shape: Shape, wanted: str) -> str:
        """Return the type of a value, null aside.

        :param wanted: the name of its class, where the schema has none.
        """
        if shape.kind in _TYPES:
            return _TYPES[shape.kind]
        if shape.item is None:
            return self.named(shape, wanted).name
        kind = self.type_of(shape.item, singularize(wanted))
        kind = f"{kind} | None" if shape.item.nullable and kind != "Any" else kind
        return f"tuple[{kind}, ...]"

    def params(self, given: Mapping[str, Parameter], *, base: str, title: str, fixed: Iterable[str] = ()) -> str:
        """Return the class of these parameters, which have their names in an address."""
        name, names = unused(class_name(f"{title}_params"), self.class_names), _PARAMS.copy()
        lines = [*fixed]
        for wire, each in given.items():
            kind, default = _SENT_TYPES.get(each.shape.kind, "str"), "" if each.shape.required else "None"
            lines.append(_attribute(unused(attribute_name(wire), names), kind, default, wire))
        self._write(name, base, lines)
        return name


def _comment(text: str) -> str:
    return "# " + "".join(filter(str.isprintable, text))


def _attribute(name: str, kind: str, default: str, wire: str) -> str:
    kind = f"{kind} | None" if default == "None" and kind != "Any" else kind
    if wire != camel(name):
        default = f"field({f'default={default}, ' if default else ''}name={wire!r})"
    return f"{name}: {kind} = {default}".removesuffix(" = ")


def source_of(module: Module) -> str:
    """Return the module as source.

    :raises SchemaError: ruff is missing, or the source is no Python, which would be a fault of this module.
    """
    return rendered("service", module=module)


def rendered(template: str, **context: Any) -> str:
    """Return a module from a template, as this project's linter and formatter write it.

    :raises SchemaError: ruff is missing, or finds a fault.
    """
    text = Path(__file__).with_name(f"{template}.py-tpl").read_text()
    source: str = Engine(autoescape=False).from_string(text).render(Context(context, autoescape=False))
    # The names that are left stand on one line where they fit.
    fixes = ("check", "--fix", "--select", "F401,I", "--config", "lint.isort.split-on-trailing-comma=false")
    for options in (fixes, ("format",)):
        command = [sys.executable, "-m", "ruff", *options, "--quiet", "--stdin-filename", "services.py", "-"]
        done = subprocess.run(
            command, input=source, capture_output=True, encoding="utf-8", check=False, cwd=SOURCE_ROOT
        )
        if done.returncode:
            raise SchemaError("", f"ruff can't format the declarations: {done.stderr.strip()}")
        source = done.stdout
    return source
