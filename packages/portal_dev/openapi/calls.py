"""Operations → modules: the resources that they make up, a hook for each other call, and what can't be declared."""

import re
from collections import defaultdict
from dataclasses import replace
from typing import Final

from inflection import singularize

from portal.api import current_backend
from portal.config import contract_names
from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, SEARCH_PARAM, SORT_PARAM
from portal.query import filter_of
from portal_dev.openapi.classes import Module, ResourceCalls
from portal_dev.openapi.names import attribute_name, unused
from portal_dev.openapi.reader import Operation, Parameter, Shape, is_possible, without_names

#: The role of a call in its resource, by its method: at the path of the list, and at that of a row.
_ROLES: Final = {
    "": {"GET": "list", "POST": "create"},
    "/{}": {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"},
}
_VERBS: Final = {"GET": "get", "POST": "create", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Parameters that every list has by the portal's own names.
_OF_ALL_LISTS: Final = {"q", SORT_PARAM, contract_names.CURSOR_PARAM, contract_names.LIMIT_PARAM}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)


def modules_of(operations: list[Operation], *, package: str, file: str = "") -> list[Module]:
    """Return the modules for these operations, in the order of the schema.

    :param package: dotted name of the package that they will stand in.
    :param file: the one module that they all stand in; without it they stand by the first two words of their paths.
    """
    found: dict[str, list[Operation]] = defaultdict(list)
    for each in operations:
        if each.path != contract_names.REFRESH_PATH:
            fixed = _fixed(each.path.partition("/{")[0])
            found[file or "/".join((fixed * 2)[:2])].append(each)
    hook_names: dict[str, set[str]] = defaultdict(set)
    modules = []
    for path, calls in found.items():
        dotted, names = f"{package}.{path.replace('/', '.')}", hook_names[path.partition("/")[0]]
        modules.append(Module(path=f"{path}.py", dotted=dotted, hook_names=names))
        _declare(modules[-1], calls)
    return modules


def _declare(module: Module, calls: list[Operation]) -> None:
    """Declare these calls. Those that no resource has are declared by themselves."""
    fitting = []
    for call in calls:
        faults, (sent, odd) = _faults(call), _sent(call)
        reasons = [*faults, *(f"hooks do not send the parameter {name}" for name in odd)]
        module.left_out += [f"`{call.method} {call.path}`: {reason}" for reason in reasons]
        fitting += [] if faults or any(odd.values()) else [replace(call, parameters=[*sent.values()])]
    for head in sorted({head for call in fitting for head in (call.path, call.path.rpartition("/")[0])}):
        _declare_resource(module, head, fitting)
    declared = [call for resource in module.resources for call in resource.calls.values()]
    # Writes name the reads that they make stale: those on their way.
    for call in sorted((call for call in fitting if call not in declared), key=lambda call: call.method != "GET"):
        gone = [query for query, path in module.reads.items() if f"{without_names(call.path)}/".startswith(path)]
        effects = "".join(f".invalidates(query_key={query})" for query in gone) or ".changes_nothing()"
        _add(module, _name(call), call, _source(module, call) + (effects if call.method != "GET" else ""))


def _add(module: Module, wanted: str, call: Operation, source: str) -> str:
    kind, kinds = ("Query", "Queries") if call.method == "GET" else ("Mutation", "Mutations")
    name = f"{unused(f'use_{wanted}', module.hook_names)}_{kind.lower()}"
    module.hooks[kind][name] = source
    hook = f"{module.group}{kinds}.{name}"
    module.reads |= {hook: f"{without_names(call.path).rstrip('/')}/"} if call.method == "GET" else {}
    return hook


def _list_options(module: Module, call: Operation, title: str) -> list[str]:
    sent, _ = _sent(call)
    own = {wire: each for wire, each in sent.items() if each.place == "path" or wire not in _OF_ALL_LISTS}
    orders = call.query[SORT_PARAM].values if SORT_PARAM in call.query else ()
    fixed = [f"sort: Literal[{', '.join(map(repr, orders))}] | None = None"] if orders else []
    fixed += [f"{name}: None = None" for name in (SEARCH_PARAM, SORT_PARAM) if name not in call.query]
    if not own and not fixed:
        return []
    params = module.params(own, base="ListParams", title=f"{title}_list", fixed=fixed)
    known = {*(call.item.fields if call.item else ()), ID_FIELD, CREATED_AT_FIELD}
    unheld = [wire for wire, each in own.items() if each.place == "query" and not filter_of(wire, known=known)]
    return [f"params={params}"] + ([f"filter_fields={dict.fromkeys(unheld)!r}"] if unheld else [])


def _source(module: Module, call: Operation) -> str:
    """Return what declares a call by itself."""
    (sent, _), title, parts = _sent(call), _name(call).removeprefix("get_"), dict[str, str]()
    url = re.sub(r"\{([^{}]*)\}", lambda found: f"{{{_in_path(found[1])}}}", call.path)
    if call.item and ID_FIELD in call.item.fields:
        options = _list_options(module, call, title) or ["params=ListParams"]
        item = module.named(call.item, singularize(title)).name
        return f"paginated_query_endpoint({', '.join([f'item={item}', *options, f'url={url!r}'])})"
    if call.answer:
        parts["data"] = module.type_of(call.answer, f"{title}_res")
    if call.body:
        kind = module.type_of(call.body, f"{title}_req")
        parts["body"] = f"Partial[{kind}]" if call.body.kind == "object" else kind
    if [each.place for each in sent.values()] == ["path"]:
        parts["params"], url = "RowParams", re.sub(r"\{[^{}]*\}", f"{{{ID_FIELD}}}", call.path)
    elif sent:
        parts["params"] = module.params(sent, base="Params", title=title)
    parts |= {"url": repr(url)} | ({} if call.method == "GET" else {"method": repr(call.method)})
    given = ", ".join(f"{option}={'object' if kind == 'Any' else kind}" for option, kind in parts.items())
    return f"{'query' if call.method == 'GET' else 'mutation'}_endpoint({given})"


# --- names ---


def _fixed(path: str) -> list[str]:
    """Return the segments that are no parameters, as names, without a version at the start."""
    found = [part for part in path.split("/") if part and "{" not in part]
    while found[1:] and _PREFIX.fullmatch(found[0]):
        del found[0]
    return [attribute_name(part) for part in found] or ["root"]


def _name(call: Operation) -> str:
    """Return the name of a call's hook, without its kind."""
    last = _fixed(call.path)[-1]
    if call.method == "POST":
        return last
    return f"{_VERBS[call.method]}_{singularize(last) if call.path.endswith('}') else last}"


# --- resources ---


def _declare_resource(module: Module, path: str, calls: list[Operation]) -> None:
    """Declare the calls at a path and of its rows as `resource(…)`, where it has two of them."""
    below = {(each.method, without_names(each.path)): each for each in reversed(calls)}
    wanted = [(role, (method, path + rest)) for rest, roles in _ROLES.items() for method, role in roles.items()]
    found = {role: below[key] for role, key in wanted if key in below}
    shown = found["detail"].answer if "detail" in found else None
    row = (found["list"].item if "list" in found else None) or shown
    if "{" in path or path.endswith("/") or row is None or ID_FIELD not in row.fields:
        return
    detail, many = shown or row, _fixed(path)[-1]
    misfits = {role: _misfit(role, call, row if role == "create" else detail) for role, call in found.items()}
    fitting = {role: call for role, call in found.items() if not misfits[role]}
    if len(fitting) > 1:
        others = [(found[role], reason) for role, reason in misfits.items() if reason]
        module.left_out += [f"`{call.method} {call.path}`: no page: {reason}" for call, reason in others]
        made = ResourceCalls(path=path, noun=singularize(many), row=row, calls=fitting)
        options = [repr(path), f"item={module.named(row, made.noun).name}"]
        if detail.pointer != row.pointer:
            options.append(f"detail={module.named(detail, f'{made.noun}_detail').name}")
        options += _list_options(module, fitting["list"], many) if "list" in fitting else []
        options += [] if CREATED_AT_FIELD in row.fields else ["newest_first_by=None"]
        variable = unused(f"_{many}", {*module.variables})
        module.variables[variable] = f"resource({', '.join(options)})"
        for role, call in fitting.items():
            name = f"{_VERBS[call.method]}_{many if role == 'list' else made.noun}"
            made.hooks[role] = _add(module, name, call, f"{variable}.{role}")
        module.resources.append(made)


def _misfit(role: str, call: Operation, row: Shape) -> str:
    """Return why a call is none that `resource(…)` declares; empty if it is one."""
    sent = call.body.fields if call.body else {}
    odd = [wire for wire, each in sent.items() if wire not in row.fields or row.fields[wire].kind != each.kind]
    if odd:
        return f"its body has fields that the row lacks, or has otherwise: {', '.join(odd)}"
    is_row = bool(call.answer and ID_FIELD in call.answer.fields) and not call.query
    is_usual = {"list": call.item is not None, "delete": not call.query}.get(role, is_row)
    return "" if is_usual and bool(sent) == (role not in {"list", "detail", "delete"}) else "it is no call of a row"


# --- what can't be declared ---


def _in_path(name: str) -> str:
    """Return the name of a path's parameter in an address: an odd one becomes a word."""
    return name if name.isascii() and name.isidentifier() else attribute_name(name)


def _sent(call: Operation) -> tuple[dict[str, Parameter], dict[str, bool]]:
    """Return the parameters that a hook sends, by their names in an address.

    The second dict has those that are not sent, with the setting that would send them; True: the call needs it.
    """
    repeats = current_backend().repeats_values
    sent: dict[str, Parameter] = {}
    odd: dict[str, bool] = {}
    for each in call.parameters:
        wire, shape = _in_path(each.name) if each.place == "path" else each.name, each.shape
        taken = {"pages", *({"q", "sort", "cursor"} if each.place == "path" else ())} if call.item else set()
        is_array = each.place == "query" and str(shape) in {"list[text]", "list[enum]"}
        is_value = shape.kind not in {"object", "list"} or (is_array and each.is_repeated == repeats)
        if each.place in {"path", "query"} and is_possible(wire) and wire not in {*sent, *taken} and is_value:
            sent[wire] = each
        elif each.place == "query" or shape.required:
            wanted = f" without `repeats_values = {each.is_repeated}` in the class of APP_BACKEND"
            name = f"{each.name}{wanted if is_array and each.is_repeated not in {None, repeats} else ''}"
            odd[name] = shape.required and each.place in {"path", "query"}
    return sent, odd


def _faults(call: Operation) -> list[str]:
    """Return why a call can't be declared."""
    is_query, plain = call.method == "GET", re.sub(r"\{[^{}]+\}", "", call.path)
    is_odd = re.search(r"[?#{}]|^//|/\.\.?(/|$)", plain) or re.search(r"(\{.+\}).*\1", call.path)
    reasons = {
        "its path is none that a hook has": is_odd,
        "a query sends no body": is_query and call.body,
        "its answer is nothing that a hook reads": is_query and not call.answer,
    }
    reasons |= {f"its body or answer: {each.note}": each.kind == "file" for each in (call.body, call.answer) if each}
    return [reason for reason, is_so in reasons.items() if is_so]
