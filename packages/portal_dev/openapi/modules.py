"""Places → modules of declarations: the hook of each call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, OF_A_LIST, REFRESH_PATH, SORT_PARAM
from portal.query import filter_of
from portal_dev.openapi.classes import OF_ALL_LISTS, Classes, sort_type, wire_of
from portal_dev.openapi.names import FreeNames, attribute_name, class_name, is_possible, plural, singular, words
from portal_dev.openapi.places import VERBS, Call, Place, fixed_segments, is_part, module_of, place_of, role_of

if TYPE_CHECKING:
    from portal_dev.openapi.operations import Operation, Parameter
    from portal_dev.openapi.shapes import Shape


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
    keys = {id(each): module_of(each, {*reads, *lists}) for each in known}
    folders = {key[0] for key in keys.values() if key[1:]}
    found: dict[tuple[str, ...], tuple[dict[str, list[Call]], list[str]]] = {}
    for each in known:
        key = keys[id(each)]
        by_place, left_out = found.setdefault(key * 2 if key[0] in folders and not key[1:] else key, ({}, []))
        reasons, without = _faults(each)
        left_out += [f"`{each.method} {each.path}`: {told}" for told in reasons or without]
        if not reasons:
            role, place = role_of(each, reads, lists)
            by_place.setdefault(place, []).append((role, each))
    places = {key: [place_of(*each) for each in sorted(by_place.items())] for key, (by_place, _) in found.items()}
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


# --- hooks ---


def _declare(module: Module, place: Place, names: FreeNames) -> None:
    resource = ""
    if place.row is not None:
        resource = FreeNames(module.resources).unused(
            f"_{plural(place.noun)}", f"_{attribute_name(fixed_segments(place.path)[-1])}"
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
    path, noun, verb = place.path.rpartition("/{")[0], place.noun, VERBS[role]
    last = attribute_name(fixed_segments(place.path)[-1])
    above = singular(attribute_name(fixed_segments(path)[-1])) if path else ""
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
        sent = place.row if place.row and is_part(body, place.row) else body
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
