"""Operations → modules of declarations: resources, and a hook for each call."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, OF_A_LIST, REFRESH_PATH, SORT_PARAM
from portal.query import filter_of
from portal_dev.openapi.classes import OF_ALL_LISTS, Classes, sort_type, wire_of
from portal_dev.openapi.left_out import faults, sendable
from portal_dev.openapi.names import FreeNames, attribute_name, class_name, plural, singular, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal_dev.openapi.classes import Declared
    from portal_dev.openapi.operations import Operation
    from portal_dev.openapi.shapes import Shape

#: The verbs of hooks, by the role of a call, in the order in which hooks are written.
_VERBS: Final = {
    "list": "get",
    "counts": "get",
    "totals": "get",
    "detail": "get",
    "create": "create",
    "update": "update",
    "replace": "replace",
    "delete": "delete",
}
_OF_A_ROW: Final = {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)
#: Words of a noun; a longer one would make names of hooks that fill a line.
_MAX_WORDS: Final = 4


@dataclass(kw_only=True)
class Resource:
    """The calls of one path and of its rows that `resource(…)` declares.

    :param noun: one of its rows, in snake_case.
    :param detail: a single row; the row of the list where both are the same.
    :param calls: by role.
    :ivar names: the hooks, by role.
    """

    path: str
    noun: str
    row: Shape
    detail: Shape
    calls: dict[str, Operation]
    names: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Module:
    """One module of `portal.services`.

    :param path: its file below `portal/services`.
    :param group: the beginning of the names of its groups.
    :ivar variables: the resources' names, with their source.
    :ivar hooks: name to source.
    """

    path: str
    title: str
    group: str
    resources: list[Resource]
    classes: Classes
    variables: dict[str, str] = field(default_factory=dict)
    hooks: dict[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> list[str]:
        """Calls, parameters and fields that can't be declared, each with the reason."""
        return self.classes.left_out


def modules_of(operations: list[Operation], *, package: str) -> list[Module]:
    """Return the modules for these operations, in the order of the schema.

    :param package: dotted name of the package that they will stand in.
    """
    known = [operation for operation in operations if operation.path != REFRESH_PATH]
    reads = {_plain(each.path): each for each in known if each.method == "GET"}
    shown = [
        shape for path, each in reads.items() for shape in (each.item, each.answer.shape if path[-1:] == "}" else None)
    ]
    rows = {shape.pointer for shape in shown if shape and ID_FIELD in shape.fields}
    found: dict[tuple[str, ...], list[Operation]] = {}
    for each in known:
        found.setdefault(_key(each.path, reads), []).append(each)
    folders = {key[0] for key in found if key[1:]}
    # The hooks of a folder are of one domain, and its modules share their classes.
    names: dict[str, FreeNames] = defaultdict(FreeNames)
    declared: dict[str, dict[str, tuple[Declared, str]]] = defaultdict(dict)
    modules, class_names = [], FreeNames()
    for key, calls in found.items():
        parts = key * 2 if key[0] in folders and not key[1:] else key
        dotted = ".".join((package, *parts))
        classes = Classes(module=dotted, folder=key[0], rows=rows, names=class_names, known=declared[key[0]])
        modules.append(_module(f"{'/'.join(parts)}.py", calls, classes, names[key[0]], reads))
    return modules


def _plain(path: str) -> str:
    return re.sub(r"{[^{}]*}", "{}", path.rstrip("/"))


def _fixed(path: str) -> list[str]:
    """Return the segments that are no parameters, as names, without a version at the start."""
    found = [part for part in path.split("/") if part and "{" not in part]
    while found[1:] and _PREFIX.fullmatch(found[0]):
        del found[0]
    return [attribute_name(part) for part in found] or ["root"]


def _key(path: str, reads: Mapping[str, Operation]) -> tuple[str, ...]:
    """Return the names of folder and module: of the shortest path at which something is read."""
    head = path.partition("/{")[0].rstrip("/")
    parts = head.split("/")
    heads = ("/".join(parts[:end]) for end in range(2, len(parts) + 1))
    root = next((each for each in heads if {each, f"{each}/{{}}"} & reads.keys()), "")
    fixed = _fixed(root or head)
    # Actions stand with those beside them: `/auth/login` and `/auth/logout`.
    fixed = fixed if root or "{" in path else fixed[:-1] or fixed
    return tuple(dict.fromkeys((fixed[0], fixed[-1])))


def _module(
    path: str, calls: list[Operation], classes: Classes, names: FreeNames, reads: Mapping[str, Operation]
) -> Module:
    known = []
    for call in calls:
        reasons, without = faults(call)
        classes.left_out += [f"`{call.method} {call.path}`: {told}" for told in reasons or without]
        known += [] if reasons else [call]
    heads = sorted({head for call in known for head in (call.path, call.path.rpartition("/")[0]) if "{" not in head})
    resources = [found for head in heads if head and (found := _resource(head, known))]
    # A module is named by its rows, or by the one object that it reads.
    read = [call.answer.shape for call in known if call.method == "GET" and call.answer.shape]
    alone = class_name(read[0].name) if len(read) == 1 and read[0].name else Path(path).stem
    nouns = [each.noun for each in resources]
    title = " ".join(words(plural(nouns[0]) if nouns else alone)).capitalize()
    group = class_name(nouns[0] if nouns else alone)
    module = Module(path=path, title=title, group=group, resources=resources, classes=classes)
    for each in resources:
        _declare_resource(module, each, names)
    stale = {
        each.names[role]: each.calls[role] for each in resources for role in ("list", "detail") if role in each.calls
    }
    standard = [call for each in resources for call in each.calls.values()]
    # Writes name the reads that they make stale.
    for call in sorted((call for call in known if call not in standard), key=lambda call: call.method != "GET"):
        name = _name(call, names, reads)
        module.hooks[name] = _source(module, call, name)
        if call.method == "GET":
            stale[name] = call
            continue
        way = f"{_plain(call.path)}/"
        gone = [query for query, read in stale.items() if way.startswith(f"{_plain(read.path)}/")]
        module.hooks[name] += "".join(f".invalidates(query_key={group}Queries.{query})" for query in gone)
        module.hooks[name] += "" if gone else ".changes_nothing()"
    return module


# --- resources ---


def _resource(path: str, calls: list[Operation]) -> Resource | None:
    """Return the calls at a path and of its rows that `resource(…)` declares; None for less than two."""
    found = {role: call for call in reversed(calls) if (role := _role(call, path))}
    shapes = [
        found["list"].item if "list" in found else None,
        found["detail"].answer.shape if "detail" in found else None,
    ]
    rows = [shape for shape in shapes if shape and ID_FIELD in shape.fields]
    if not rows:
        return None
    row, detail = rows[0], rows[-1]
    fitting = {role: found[role] for role in _VERBS if role in found and _fits(role, found[role], row, detail)}
    named = words(class_name(row.name)) if row.name else []
    noun = "_".join(named) if named and len(named) <= _MAX_WORDS else singular(_fixed(path)[-1])
    is_one = len(fitting.keys() - OF_A_LIST.keys()) and len(fitting) > 1
    return Resource(path=path, noun=noun, row=row, detail=detail, calls=fitting) if is_one else None


def _role(call: Operation, path: str) -> str:
    """Return what a call is to a resource at a path; empty for nothing."""
    if not call.path.startswith(path):
        return ""
    method, rest = call.method, call.path.removeprefix(path)
    if re.fullmatch(r"/\{[^{}]+\}", rest):
        return _OF_A_ROW.get(method, "")
    if not rest:
        return {"GET": "list", "POST": "create"}.get(method, "")
    return rest[1:] if method == "GET" and OF_A_LIST.get(rest[1:]) in call.query else ""


def _fits(role: str, call: Operation, row: Shape, detail: Shape) -> bool:
    """Return whether a call has the parameters, the body and the answer that `resource(…)` declares."""
    if role == "list" or role in OF_A_LIST:
        return role != "list" or call.item is row
    answer, body = call.answer.shape, call.body.shape
    is_row = role == "delete" or (answer is not None and ID_FIELD in answer.fields)
    is_sent = body is None if role in {"detail", "delete"} else _is_part(body, row if role == "create" else detail)
    return is_row and is_sent and not call.query


def _is_part(sent: Shape | None, row: Shape) -> bool:
    """Return whether a row has all that a body takes, so that some of its fields are the body."""
    alike = {"enum": "text", "integer": "number", "decimal": "number"}
    fields = {wire: each.shape.kind for wire, each in row.fields.items()}
    fits = (
        alike.get(each.shape.kind, each.shape.kind) == alike.get(fields.get(wire, ""), fields.get(wire))
        for wire, each in (sent.fields if sent else {}).items()
    )
    return sent is not None and sent.kind == "object" and all(fits)


def _declare_resource(module: Module, resource: Resource, names: FreeNames) -> None:
    item = module.classes.named(resource.row, resource.noun).name
    parts = [repr(resource.path), f"item={item}"]
    if resource.detail is not resource.row:
        parts.append(f"detail={module.classes.named(resource.detail, f'{item}Detail', extends=resource.row).name}")
    if "list" in resource.calls:
        parts += _list_options(module, resource.calls["list"], plural(resource.noun))
    is_written = {"create", "update", "replace"} & resource.calls.keys() or "created_at" in resource.row.fields
    parts += ["newest_first_by=None"] if CREATED_AT_FIELD not in resource.row.fields and is_written else []
    wanted = f"_{plural(resource.noun)}", f"_{_fixed(resource.path)[-1]}"
    variable = FreeNames(module.variables).unused(*wanted)
    module.variables[variable] = f"resource({', '.join(parts)})"
    for role, call in resource.calls.items():
        noun = {"list": plural(resource.noun), **{of: f"{plural(resource.noun)}_{of}" for of in OF_A_LIST}}
        verb = "update" if role == "replace" and "update" not in resource.calls else _VERBS[role]
        name = _unused(names, f"use_{verb}_{noun.get(role, resource.noun)}", call)
        resource.names[role] = name
        module.hooks[name] = f"{variable}.{role}"


def _list_options(module: Module, call: Operation, title: str) -> list[str]:
    own = [each for each in sendable(call) if each.place == "path" or each.name not in OF_ALL_LISTS]
    sort = sort_type(call.query[SORT_PARAM].shape) if SORT_PARAM in call.query else ""
    if not own and not sort:
        return []
    params = module.classes.parameters(own, base="ListParams", title=f"{title}_list", sort=sort)
    known = {*(call.item.fields if call.item else ()), ID_FIELD, CREATED_AT_FIELD}
    unheld = [each.name for each in own if each.place == "query" and filter_of(each.name, known=known) is None]
    return [f"params={params}"] + ([f"filter_fields={dict.fromkeys(unheld)!r}"] if unheld else [])


# --- other calls ---


def _name(call: Operation, names: FreeNames, reads: Mapping[str, Operation]) -> str:
    fixed = _fixed(call.path)
    last, above = fixed[-1], singular(_fixed(call.path.rpartition("/{")[0])[-1]) if "/{" in call.path else ""
    if _plain(call.path).endswith("}") or (call.method == "POST" and _plain(call.path) in reads):
        words_of_name = [_VERBS[_OF_A_ROW.get(call.method, "create")], singular(last)]
    elif call.method == "POST":
        words_of_name = [last, above]
    else:
        noun = last if last.startswith(above) else f"{above}_{last}"
        words_of_name = [{"GET": "get", "DELETE": "delete"}.get(call.method, "update"), noun]
    return _unused(names, f"use_{'_'.join(filter(None, words_of_name))}", call)


def _unused(names: FreeNames, wanted: str, call: Operation) -> str:
    # A number stands before the kind: the kind ends the name of each hook.
    name = names.unused(wanted, f"{wanted}_of_{_fixed(call.path)[-1]}", f"{wanted}_with_{call.method.lower()}")
    return f"{name}_{'query' if call.method == 'GET' else 'mutation'}"


def _source(module: Module, call: Operation, name: str) -> str:
    """Return what declares a call by itself."""
    own, url, title = sendable(call), call.path, "_".join(name.split("_")[1:-1]).removeprefix("get_")
    for each in own:
        url = url.replace(f"{{{each.name}}}", f"{{{wire_of(each)}}}") if each.place == "path" else url
    if call.item and ID_FIELD in call.item.fields:
        options = _list_options(module, call, title) or ["params=ListParams"]
        item = module.classes.named(call.item, singular(title)).name
        return f"paginated_query_endpoint({', '.join([f'item={item}', *options, f'url={url!r}'])})"
    answer, body, parts = call.answer.shape, call.body.shape, {}
    if answer is not None:
        parts["data"] = module.classes.type_of(answer, class_name(title if call.method == "GET" else f"{title}_res"))
    if call.method != "GET" and body is not None:
        row = next((each.row for each in module.resources if call.path.startswith(each.path)), None)
        sent = row if row and _is_part(body, row) else body
        kind = module.classes.type_of(sent, class_name(f"{title}_req"))
        parts["body"] = f"Partial[{kind}]" if sent.kind == "object" else kind
    if len(own) == 1 and own[0].place == "path":
        parts["params"], url = "RowParams", call.path.replace(f"{{{own[0].name}}}", f"{{{ID_FIELD}}}")
    elif own:
        parts["params"] = module.classes.parameters(own, base="Params", title=title)
    parts |= {"url": repr(url)} | ({} if call.method == "GET" else {"method": repr(call.method)})
    given = ", ".join(f"{option}={'object' if kind == 'Any' else kind}" for option, kind in parts.items())
    return f"{'query' if call.method == 'GET' else 'mutation'}_endpoint({given})"
