"""Calls → modules of declarations: which calls belong together, and the hook of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, OF_A_LIST, REFRESH_PATH, SORT_PARAM
from portal.query import filter_of
from portal_dev.openapi.classes import OF_ALL_LISTS, Classes, sort_type, wire_of
from portal_dev.openapi.names import FreeNames, attribute_name, class_name, is_possible, plural, singular, words
from portal_dev.openapi.operations import Operation, path_names
from portal_dev.openapi.shapes import is_same

if TYPE_CHECKING:
    from portal_dev.openapi.operations import Parameter
    from portal_dev.openapi.shapes import Shape

#: The verb of a hook's name, by the role of its call, in the order in which hooks are written.
_VERBS: Final = {
    **dict.fromkeys(("list", "counts", "totals", "detail", "read"), "get"),
    **{role: role for role in ("create", "update", "replace", "delete")},
    "action": "",
}
_OF_A_ROW: Final = {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)
#: Words of a noun; a longer one would make names of hooks that fill a line.
_MAX_WORDS: Final = 4
Call: TypeAlias = tuple[str, Operation]


@dataclass(kw_only=True)
class Place:
    """The calls of one path, and of its rows, each with its role.

    :param noun: one of its rows, in snake_case.
    :param row: a row of the list; None where `resource(…)` declares nothing.
    :param detail: a single row, where it is another object.
    :param standard: the calls that `resource(…)` declares, by role.
    """

    path: str
    noun: str
    calls: list[Call]
    row: Shape | None = None
    detail: Shape | None = None
    standard: dict[str, Operation] = field(default_factory=dict)


@dataclass(kw_only=True)
class Module:
    """One module of `portal.services`.

    :param path: its file below `portal/services`.
    :param group: the beginning of the names of its groups.
    :param left_out: calls and parameters that can't be declared, each with the reason.
    :ivar hooks: name to source.
    :ivar names: the hook of each call, by place and role.
    """

    path: str
    dotted: str
    title: str
    group: str
    places: list[Place]
    classes: Classes
    left_out: list[str] = field(default_factory=list)
    resources: dict[str, str] = field(default_factory=dict)
    hooks: dict[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)


def modules_of(operations: list[Operation], *, package: str) -> list[Module]:
    """Return the modules for these operations, in the order of the schema.

    :param package: dotted name of the package that they will stand in.
    """
    known = [operation for operation in operations if operation.path != REFRESH_PATH]
    reads = {each.path.rstrip("/"): each for each in known if each.method == "GET"}
    lists = {each.path.rstrip("/").rpartition("/")[0] for each in known if each.path.rstrip("/").endswith("}")}
    lists |= {
        path for path, each in reads.items() if each.item or (each.answer.shape and each.answer.shape.kind == "list")
    }
    keys = {id(each): _module_of(each, {*reads, *lists}) for each in known}
    folders = {key[0] for key in keys.values() if key[1:]}
    found: dict[tuple[str, ...], tuple[dict[str, list[Call]], list[str]]] = {}
    for each in known:
        key = keys[id(each)]
        by_place, left_out = found.setdefault(key * 2 if key[0] in folders and not key[1:] else key, ({}, []))
        reasons, without = _faults(each)
        left_out += [f"`{each.method} {each.path}`: {told}" for told in reasons or without]
        if not reasons:
            role, place = _role(each, reads, lists)
            by_place.setdefault(place, []).append((role, each))
    places = {key: [_place(*each) for each in sorted(by_place.items())] for key, (by_place, _) in found.items()}
    shapes = [
        shape
        for of in places.values()
        for each in of
        for shape in (each.row, each.detail, *(call.item for _, call in each.calls))
    ]
    rows = {shape.pointer for shape in shapes if shape and ID_FIELD in shape.fields}
    class_names = FreeNames()
    classes = {key[0]: Classes(folder=key[0], rows=rows, names=class_names) for key in found}
    names = {key[0]: FreeNames() for key in found}
    modules = []
    for key, (_, left_out) in found.items():
        dotted = ".".join(filter(None, (package, *key)))
        module = _named(key, dotted, places[key], classes[key[0]])
        module.left_out = module.classes.left_out = left_out
        module.classes.module = dotted
        for place in module.places:
            _declare(module, place, names[key[0]])
        modules.append(module)
    return modules


def _named(key: tuple[str, ...], dotted: str, places: list[Place], classes: Classes) -> Module:
    """Return a module, named by its rows, or by the one object that it reads."""
    rows = next((each.noun for each in places if {"list", "detail", "create"} & {role for role, _ in each.calls}), "")
    read = [call.answer.shape for each in places for role, call in each.calls if role == "read"]
    alone = class_name(read[0].name) if len(read) == 1 and read[0] and read[0].name else key[-1]
    title, group = " ".join(words(plural(rows) if rows else alone)).capitalize(), class_name(rows or alone)
    return Module(path=f"{'/'.join(key)}.py", dotted=dotted, title=title, group=group, places=places, classes=classes)


# --- which calls belong together ---


def _fixed(path: str) -> list[str]:
    """Return the segments that are no parameters, without a version at the start."""
    found = [part for part in path.split("/") if part and "{" not in part]
    while found[1:] and _PREFIX.fullmatch(found[0]):
        del found[0]
    return found or ["root"]


def _module_of(operation: Operation, known: set[str]) -> tuple[str, ...]:
    """Return the names of folder and module: of the shortest path at which something is read."""
    head = operation.path.partition("/{")[0].rstrip("/")
    parts = head.split("/")
    root = next((path for end in range(2, len(parts) + 1) if (path := "/".join(parts[:end])) in known), "")
    fixed = _fixed(root or head)
    # Actions stand with those beside them: `/auth/login` and `/auth/logout`.
    fixed = fixed if root or "{" in operation.path else fixed[:-1] or fixed
    return tuple(dict.fromkeys((attribute_name(fixed[0]), attribute_name(fixed[-1]))))


def _role(operation: Operation, reads: dict[str, Operation], lists: set[str]) -> tuple[str, str]:
    """Return the role of a call, and the path that it is about: of a row, the path of its list."""
    path, method = operation.path.rstrip("/"), operation.method
    parent, _, last = path.rpartition("/")
    if last.startswith("{") and last.endswith("}"):
        # An update by POST is as Stripe has it.
        return _OF_A_ROW.get(method, "update" if path in reads else "action"), parent
    if method == "GET" and parent in lists and OF_A_LIST.get(last) in operation.query:
        return last, parent
    if path in lists and method in {"GET", "POST"}:
        return "list" if method == "GET" else "create", path
    return "read" if method == "GET" else "action", path


def _place(path: str, calls: list[Call]) -> Place:
    calls = sorted(calls, key=lambda call: [*_VERBS].index(call[0]))
    by_role = dict(reversed(calls))
    shapes = [by_role["list"].item] if "list" in by_role else []
    shapes += [by_role[role].answer.shape for role in ("detail", "create") if role in by_role]
    named = [words(class_name(shape.name)) for shape in shapes if shape and shape.kind == "object" and shape.name]
    noun = "_".join(named[0]) if named and len(named[0]) <= _MAX_WORDS else singular(attribute_name(_fixed(path)[-1]))
    rows = [shape for shape in shapes[: len({"list", "detail"} & {*by_role})] if shape and ID_FIELD in shape.fields]
    if path and "{" not in path and rows:
        detail = rows[-1] if not is_same(rows[0], rows[-1]) else None
        standard = {role: each for role, each in by_role.items() if _fits(role, each, path, rows[0], rows[-1])}
        # One call alone is declared by itself.
        if standard.keys() - OF_A_LIST.keys() and len(standard) > 1:
            return Place(path=path, noun=noun, calls=calls, row=rows[0], detail=detail, standard=standard)
    return Place(path=path, noun=noun, calls=calls)


def _fits(role: str, operation: Operation, place: str, row: Shape, shown: Shape) -> bool:
    """Return whether a call is the one that `resource(…)` declares for its role."""
    of_a_row = f"{place}/{{{(path_names(operation.path) or [''])[0]}}}"
    known = {"list": ("GET", place), "create": ("POST", place), **{end: ("GET", f"{place}/{end}") for end in OF_A_LIST}}
    known |= {role: (method, of_a_row) for method, role in _OF_A_ROW.items()}
    if known.get(role) != (operation.method, operation.path):
        return False
    if role in {"list", *OF_A_LIST}:
        return role != "list" or operation.item is not None
    answer, body = operation.answer.shape, operation.body.shape
    is_row = answer is not None and ID_FIELD in answer.fields
    if operation.query or not (is_row or role == "delete"):
        return False
    return body is None if role in {"detail", "delete"} else _is_part(body, row if role == "create" else shown)


def _is_part(sent: Shape | None, row: Shape) -> bool:
    """Return whether a row has all that a body takes, so that some of its fields are the body."""
    if sent is None or sent.kind != "object":
        return False
    alike = {"enum": "text", "integer": "number", "decimal": "number"}
    pairs = [(each.shape, row.fields[name].shape) for name, each in sent.fields.items() if name in row.fields]
    kinds = [(alike.get(one.kind, one.kind), alike.get(other.kind, other.kind)) for one, other in pairs]
    return len(pairs) == len(sent.fields) and all(one == other for one, other in kinds)


# --- hooks ---


def _declare(module: Module, place: Place, names: FreeNames) -> None:
    resource = ""
    if place.row is not None:
        resource = FreeNames(module.resources).unused(
            f"_{plural(place.noun)}", f"_{attribute_name(_fixed(place.path)[-1])}"
        )
        module.resources[resource] = _resource(module, place, place.row)
    for role, operation in place.calls:
        name = _name(role, operation, place, names)
        is_standard = place.standard.get(role) is operation
        source = f"{resource}.{role}" if is_standard else _source(module, role, operation, name, place)
        if operation.method != "GET":
            own = [module.names.get((place.path, role)) for role in place.standard] if is_standard else []
            stale = [query for query in _on_the_way(module, operation) if query not in own]
            source += "".join(f".invalidates(query_key={module.group}Queries.{query})" for query in stale)
            source += "" if stale or is_standard else ".changes_nothing()"
        module.hooks[name] = source
        module.names.setdefault((place.path, role), name)


def _on_the_way(module: Module, operation: Operation) -> list[str]:
    """Return the queries that a write makes stale: those of its path, and of the beginnings of its path."""
    way = f"{re.sub(r'{[^{}]*}', '{}', operation.path.rstrip('/'))}/"
    reads = {
        (place.path, role): re.sub(r"{[^{}]*}", "{}", each.path.rstrip("/"))
        for place in module.places
        for role, each in place.calls
        if each.method == "GET" and role not in OF_A_LIST
    }
    return [module.names[key] for key, path in reads.items() if key in module.names and way.startswith(f"{path}/")]


def _name(role: str, operation: Operation, place: Place, names: FreeNames) -> str:
    path, noun, verb = place.path.rpartition("/{")[0], place.noun, _VERBS[role]
    last, above = attribute_name(_fixed(place.path)[-1]), singular(attribute_name(_fixed(path)[-1])) if path else ""
    if role in {"list", *OF_A_LIST}:
        noun = plural(noun) if role == "list" else f"{plural(noun)}_{role}"
    elif role in {"read", "action"}:
        verb = verb or {"DELETE": "delete", "PATCH": "update"}.get(operation.method, "")
        noun = last if last.startswith(above) else f"{above}_{last}"
        verb, noun = (verb, noun) if verb else (last, above)
    elif role == "replace" and all(each != "update" for each, _ in place.calls):
        verb = "update"
    kind = "query" if operation.method == "GET" else "mutation"
    wanted = f"use_{verb}_{noun}".strip("_")
    # A number stands before the kind: the kind ends the name of each hook.
    more = (f"{wanted}_of_{above or last}", f"{wanted}_with_{operation.method.lower()}")
    return f"{names.unused(wanted, *more)}_{kind}"


def _resource(module: Module, place: Place, row: Shape) -> str:
    item = module.classes.named(row, place.noun)
    parts = [repr(place.path), f"item={item}"]
    if place.detail is not None:
        parts.append(f"detail={module.classes.named(place.detail, f'{item}Detail', extends=row)}")
    parts += _list_options(module, place.standard["list"], row, place) if "list" in place.standard else []
    is_written = {"create", "update", "replace"} & place.standard.keys() or "created_at" in row.fields
    parts += ["newest_first_by=None"] if CREATED_AT_FIELD not in row.fields and is_written else []
    return f"resource({', '.join(parts)})"


def _list_options(module: Module, operation: Operation, row: Shape, place: Place) -> list[str]:
    own = [each for each in _sendable(operation) if each.place == "path" or each.name not in OF_ALL_LISTS]
    sort = sort_type(operation.query[SORT_PARAM].shape) if SORT_PARAM in operation.query else ""
    many = plural(place.noun)
    wanted, doc = class_name(f"{many}_list_params"), f"Which {many.replace('_', ' ')}."
    params = module.classes.parameters(own, base="ListParams", wanted=wanted, doc=doc, sort=sort) if own or sort else ""
    known = {*row.fields, ID_FIELD, CREATED_AT_FIELD}
    unheld = [each.name for each in own if each.place == "query" and filter_of(each.name, known=known) is None]
    options = {f"params={params}": params, f"filter_fields={dict.fromkeys(unheld)!r}": unheld}
    return [option for option, is_given in options.items() if is_given]


def _source(module: Module, role: str, operation: Operation, name: str, place: Place) -> str:
    """Return what declares a call by itself."""
    classes, url, own = module.classes, operation.path, _sendable(operation)
    for each in own:
        url = url.replace(f"{{{each.name}}}", f"{{{wire_of(each)}}}") if each.place == "path" else url
    if operation.item and operation.item.kind == "object":
        row = operation.item
        options = _list_options(module, operation, row, place)
        params = [] if any(each.startswith("params=") for each in options) else ["params=ListParams"]
        other = next((each for each in ("uuid", "key", "slug", "code", "number", "name") if each in row.fields), False)
        unique = [] if ID_FIELD in row.fields else [f"unique_by={other!r}"]
        item = classes.named(row, class_name(place.noun))
        return f"paginated_query_endpoint({', '.join([f'item={item}', *params, *options, f'url={url!r}', *unique])})"
    title = "_".join(name.split("_")[1:-1]).removeprefix("get_")
    answer, body, parts = operation.answer.shape, operation.body.shape, {}
    if answer is not None:
        parts["data"] = classes.type_of(answer, class_name(title if role in {"read", "list"} else f"{title}_res"))
    if operation.method != "GET" and body is not None:
        sent = place.row if place.row and _is_part(body, place.row) else body
        kind = classes.type_of(sent, class_name(f"{title}_req"))
        parts["body"] = f"Partial[{kind}]" if sent.kind == "object" else kind
    if len(own) == 1 and own[0].place == "path":
        parts["params"], url = "RowParams", operation.path.replace(f"{{{own[0].name}}}", f"{{{ID_FIELD}}}")
    elif own:
        wanted, doc = class_name(f"{title}_params"), f"Which {title.replace('_', ' ')}."
        parts["params"] = classes.parameters(own, base="Params", wanted=wanted, doc=doc)
    parts |= {"url": repr(url)} | ({} if operation.method == "GET" else {"method": repr(operation.method)})
    given = ", ".join(f"{option}={'object' if kind == 'Any' else kind}" for option, kind in parts.items())
    return f"{'query' if operation.method == 'GET' else 'mutation'}_endpoint({given})"


# --- what can't be declared ---


def _sendable(operation: Operation) -> list[Parameter]:
    return [each for each in operation.parameters if not _why_not_sent(each, operation)]


def _why_not_sent(parameter: Parameter, operation: Operation) -> str:
    """Return why a hook can't send a parameter; empty for one that it can send."""
    shape, is_in_path = parameter.shape, parameter.place == "path"
    if not is_possible(parameter.name):
        return "a name that no class of parameters can have"
    if next(each for each in operation.parameters if wire_of(each) == wire_of(parameter)) is not parameter:
        return "a name that another parameter has"
    is_joined = shape.item and shape.item.kind in {"text", "enum"} and parameter.is_joined and not is_in_path
    if shape.kind in {"map", "object"} or (shape.kind == "list" and not is_joined):
        return f"{shape}, which hooks do not send"
    taken = {"q", "sort", "cursor", "pages"} - (set() if is_in_path else OF_ALL_LISTS)
    is_taken = operation.item is not None and parameter.name in taken
    return "a name that the parameters of lists have for something else" if is_taken else ""


def _faults(operation: Operation) -> tuple[list[str], list[str]]:
    """Return why a call can't be declared, and what it is declared without."""
    path, answer, body, is_query = operation.path, operation.answer, operation.body, operation.method == "GET"
    odd = [(each, reason) for each in operation.parameters if (reason := _why_not_sent(each, operation))]
    reasons = {
        "it is deprecated": operation.deprecated,
        "the url of a hook is a path alone": re.search(r"[?#]|^//|/\.\.?(/|$)", path),
        "a parameter of its path should be a name in braces": re.search(r"[{}]", re.sub(r"\{[^{}]+\}", "", path)),
        "a query sends no body": is_query and body.required,
        "its answer is nothing that a hook reads": is_query and not (answer.shape or answer.note),
        f"its body: {body.note}": body.note,
        f"its answer: {answer.note}": answer.note,
        **{f"the parameter {each.name} is {reason}": each.required for each, reason in odd},
    }
    without = [f"without the parameter {each.name}, {reason}" for each, reason in odd]
    without += ["without its body, which queries do not send"] if is_query and body.shape else []
    for each in operation.headers:
        told = "it needs" if each.required else "without"
        without.append(f"{told} the {each.place} {each.name}, which hooks do not send")
    return [reason for reason, holds in reasons.items() if holds], without
