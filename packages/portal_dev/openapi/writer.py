"""Operations → modules of declarations: records, enumerations and parameters, resources, and a hook for each call."""

from __future__ import annotations

import builtins
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.template import Context, Engine
from inflection import singularize

import portal.query
from portal.config import contract_names
from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, SORT_PARAM
from portal.config.places import SOURCE_ROOT
from portal.query import filter_of
from portal_dev.openapi.calls import (
    VERBS,
    call_name,
    faults,
    fixed_parts,
    in_path,
    module_key,
    plain,
    resource_at,
    sent_params,
)
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import FreeNames, attribute_name, camel, class_name, is_possible, member_name, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal_dev.openapi.calls import ResourceCalls
    from portal_dev.openapi.reader import Operation, Parameter, Shape

_TYPES: Final = {"text": "str", "integer": "int", "number": "float", "boolean": "bool", "decimal": "Decimal"}
_TYPES.update({"time": "datetime", "day": "date", "any": "Any"})
#: None for the others: zero would be a wrong number.
_DEFAULTS: Final = {"text": '""', "boolean": "False", "list": "()", "map": "dict"}
_SENT_TYPES: Final = {"integer": "int", "number": "float", "boolean": "bool", "list": "Values"}
_TAKEN_CLASSES: Final = {*dir(portal.query), *dir(builtins), "Any", "Decimal", "Literal"}
#: Parameters that every list has by the portal's own names.
_OF_ALL_LISTS: Final = {"q", SORT_PARAM, contract_names.CURSOR_PARAM, contract_names.LIMIT_PARAM}


class Declared(NamedTuple):
    """A class that is written; an enumeration has its members by value."""

    name: str
    members: dict[str, str]


@dataclass(kw_only=True)
class Module:
    """One module of `portal.services`, with all classes that it needs.

    :param path: its file below `portal/services`.
    :param dotted: its name.
    :param hook_names: those of the folder, whose hooks are of one domain.
    :ivar declared: its classes, by pointer.
    :ivar left_out: calls, parameters and fields that can't be declared, each with the reason.
    """

    path: str
    dotted: str
    hook_names: FreeNames
    group: str = ""
    class_names: FreeNames = field(default_factory=lambda: FreeNames(_TAKEN_CLASSES))
    declared: dict[str, Declared] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)
    resources: list[ResourceCalls] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    hooks: dict[str, dict[str, str]] = field(default_factory=lambda: {"Query": {}, "Mutation": {}})
    left_out: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The words of its file's name."""
        return " ".join(words(Path(self.path).stem))

    @property
    def notes(self) -> str:
        """Comments that say what is left out."""
        return "\n".join(map(_comment, ["Not declared, or not whole:", *self.left_out])) if self.left_out else ""

    # --- classes ---

    def named(self, shape: Shape, wanted: str) -> Declared:
        """Return the class of an object or an enumeration.

        :param wanted: its name, where the schema has none.
        """
        if shape.pointer not in self.declared:
            names = FreeNames()
            members = {value: names.unused(member_name(value)) for value in shape.values}
            made = Declared(self.class_names.unused(class_name(shape.name or wanted)), members)
            self.declared[shape.pointer] = made
            if members:
                self._write(f"{made.name}(OpenEnum)", [f"{member} = {value!r}" for value, member in members.items()])
            else:
                self._write_record(made.name, shape)
        return self.declared[shape.pointer]

    def _write(self, head: str, lines: Iterable[str]) -> None:
        title = " ".join(words(head.partition("(")[0])).capitalize()
        self.classes.append("\n    ".join([f"class {head}:", f'"""{title}."""\n', *lines]))

    def _write_record(self, name: str, shape: Shape) -> None:
        fields, names, base = shape.fields, FreeNames(), "Record"
        if ID_FIELD in fields:
            fields = {wire: each for wire, each in fields.items() if wire not in {ID_FIELD, CREATED_AT_FIELD}}
            base, names = "Row", FreeNames({"id"} if "created_at" in fields else {"id", "created_at"})
        lines, lower = [], _lower(fields)
        for wire, each in fields.items():
            if not is_possible(wire):
                self.left_out.append(f"`{name}`: without the field {wire!r}, a name that no record can have")
                continue
            kind = self.type_of(each, f"{name}_{wire}")
            default = "None" if each.nullable else _DEFAULTS.get(each.kind, "None")
            kind = f"{kind} | None" if default == "None" and kind != "Any" else kind
            inner = each
            while inner.item:
                inner = inner.item
            lines += [_comment(f"Any JSON: {inner.note}.").replace("\n", "\n    ")] if inner.note else []
            lines.append(_attribute(names.unused(attribute_name(wire)), kind, default, wire, is_lower=bool(lower)))
        self._write(f"{name}({base}{lower})", lines)

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
        return f"tuple[{kind}, ...]" if shape.kind == "list" else f"dict[str, {kind}]"

    def _params(self, given: Mapping[str, Parameter], *, base: str, title: str, orders: Iterable[str] = ()) -> str:
        """Return the class of these parameters, which have their names in an address."""
        name, lower = self.class_names.unused(class_name(f"{title}_params")), _lower(given)
        lines = [f"sort: Literal[{', '.join(map(repr, orders))}] | None = None"] if orders else []
        names = FreeNames({"params", "pages", "cursor", "q", "sort"})
        for wire, each in given.items():
            kind, attribute = _SENT_TYPES.get(each.shape.kind, "str"), attribute_name(wire)
            kind, default = (kind, "") if each.shape.required else (f"{kind} | None", "None")
            attribute = names.unused(attribute, f"{attribute}_")
            lines.append(_attribute(attribute, kind, default, wire, is_lower=bool(lower)))
        self._write(f"{name}({base}{lower})", lines)
        return name

    # --- calls ---

    def declare(self, calls: list[Operation]) -> None:
        """Declare these calls. Those that no resource has are declared by themselves."""
        fitting = []
        for call in calls:
            reasons, without = faults(call)
            self.left_out += [f"`{call.method} {call.path}`: {told}" for told in reasons or without]
            fitting += [] if reasons else [call]
        heads = sorted({head for call in fitting for head in (call.path, call.path.rpartition("/")[0])})
        self.resources = [found for head in heads if head and (found := resource_at(head, fitting))]
        self.group = class_name(self.resources[0].noun if self.resources else self.title)
        stale: dict[str, Operation] = {}
        for resource in self.resources:
            self._declare_resource(resource)
            stale |= {resource.hooks[role]: call for role, call in resource.calls.items() if call.method == "GET"}
            fitting = [call for call in fitting if call not in resource.calls.values()]
        # Writes name the reads that they make stale: those on their way.
        for call in sorted(fitting, key=lambda call: call.method != "GET"):
            name = call_name(call)
            source = self._source(call, name.removeprefix("get_"))
            if call.method == "GET":
                stale[self._add(name, call, source)] = call
                continue
            way = f"{plain(call.path)}/"
            gone = [query for query, read in stale.items() if way.startswith(f"{plain(read.path)}/")]
            effects = "".join(f".invalidates(query_key={query})" for query in gone) or ".changes_nothing()"
            self._add(name, call, source + effects)

    def _add(self, wanted: str, call: Operation, source: str) -> str:
        kind, kinds = ("Query", "Queries") if call.method == "GET" else ("Mutation", "Mutations")
        name = f"{self.hook_names.unused(f'use_{wanted}')}_{kind.lower()}"
        self.hooks[kind][name] = source
        return f"{self.group}{kinds}.{name}"

    def _declare_resource(self, resource: ResourceCalls) -> None:
        calls, many = resource.calls, fixed_parts(resource.path)[-1]
        options = [repr(resource.path), f"item={self.named(resource.row, resource.noun).name}"]
        if resource.detail and resource.detail.pointer != resource.row.pointer:
            options.append(f"detail={self.named(resource.detail, f'{resource.noun}_detail').name}")
        options += self._list_options(calls["list"], many) if "list" in calls else []
        options += [] if CREATED_AT_FIELD in resource.row.fields else ["newest_first_by=None"]
        variable = FreeNames(self.variables).unused(f"_{many}")
        self.variables[variable] = f"resource({', '.join(options)})"
        for role, call in calls.items():
            name = f"{VERBS[call.method]}_{many if role == 'list' else resource.noun}"
            resource.hooks[role] = self._add(name, call, f"{variable}.{role}")

    def _list_options(self, call: Operation, title: str) -> list[str]:
        sent, _ = sent_params(call)
        own = {wire: each for wire, each in sent.items() if each.place == "path" or wire not in _OF_ALL_LISTS}
        orders = call.query[SORT_PARAM].values if SORT_PARAM in call.query else ()
        if not own and not orders:
            return []
        params = self._params(own, base="ListParams", title=f"{title}_list", orders=orders)
        known = {*(call.item.fields if call.item else ()), ID_FIELD, CREATED_AT_FIELD}
        unheld = [wire for wire, each in own.items() if each.place == "query" and not filter_of(wire, known=known)]
        return [f"params={params}"] + ([f"filter_fields={dict.fromkeys(unheld)!r}"] if unheld else [])

    def _source(self, call: Operation, title: str) -> str:
        """Return what declares a call by itself."""
        sent, _ = sent_params(call)
        url = re.sub(r"\{([^{}]*)\}", lambda found: f"{{{in_path(found[1])}}}", call.path)
        if call.item and ID_FIELD in call.item.fields:
            options = self._list_options(call, title) or ["params=ListParams"]
            item = self.named(call.item, singularize(title)).name
            return f"paginated_query_endpoint({', '.join([f'item={item}', *options, f'url={url!r}'])})"
        parts = {}
        if call.answer:
            parts["data"] = self.type_of(call.answer, f"{title}_res")
        if call.body and call.method != "GET":
            kind = self.type_of(call.body, f"{title}_req")
            parts["body"] = f"Partial[{kind}]" if call.body.kind == "object" else kind
        if [each.place for each in sent.values()] == ["path"]:
            parts["params"], url = "RowParams", re.sub(r"\{[^{}]*\}", f"{{{ID_FIELD}}}", call.path)
        elif sent:
            parts["params"] = self._params(sent, base="Params", title=title)
        parts |= {"url": repr(url)} | ({} if call.method == "GET" else {"method": repr(call.method)})
        given = ", ".join(f"{option}={'object' if kind == 'Any' else kind}" for option, kind in parts.items())
        return f"{'query' if call.method == 'GET' else 'mutation'}_endpoint({given})"


def modules_of(operations: list[Operation], *, package: str, file: str = "") -> list[Module]:
    """Return the modules for these operations, in the order of the schema.

    :param package: dotted name of the package that they will stand in.
    :param file: the one module that they all stand in; without it they stand by the first words of their paths.
    """
    calls = [each for each in operations if each.path != contract_names.REFRESH_PATH]
    read = {each.path.partition("/{")[0].rstrip("/") for each in calls if each.method == "GET"}
    found: dict[tuple[str, ...], list[Operation]] = {}
    for each in calls:
        found.setdefault((file,) if file else module_key(each.path, read), []).append(each)
    folders = {key[0] for key in found if key[1:]}
    hook_names: dict[str, FreeNames] = defaultdict(FreeNames)
    modules = []
    for key, own in found.items():
        parts = key * 2 if key[0] in folders and not key[1:] else key
        dotted = ".".join((package, *parts))
        module = Module(path=f"{'/'.join(parts)}.py", dotted=dotted, hook_names=hook_names[key[0]])
        module.declare(own)
        modules.append(module)
    return modules


# --- source ---


def _comment(text: str) -> str:
    plain = "".join(filter(str.isprintable, text))
    return "\n".join(f"# {line}" for line in textwrap.wrap(plain, 110, break_long_words=False, break_on_hyphens=False))


def _lower(wires: Iterable[str]) -> str:
    """Return the option for names on the wire of which more are those of the attributes than are in camelCase."""
    pairs = [(wire, attribute_name(wire)) for wire in wires]
    is_lower = sum(wire == name for wire, name in pairs) > sum(wire == camel(name) for wire, name in pairs)
    return ', rename="lower"' if is_lower else ""


def _attribute(name: str, kind: str, default: str, wire: str, *, is_lower: bool) -> str:
    option = "default_factory" if default == "dict" else "default"
    # The limits of a time have names of their own.
    is_named = wire != (name if is_lower else camel(name)) or (is_lower and name.endswith(("_from", "_to")))
    options = [f"{option}={default}"] * bool(default) + [f"name={wire!r}"] * is_named
    if is_named or default == "dict":
        default = f"field({', '.join(options)})"
    return f"{name}: {kind}{f' = {default}' if default else ''}"


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
