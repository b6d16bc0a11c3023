"""Calls → hooks: the name of each, and what declares it, as source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, OF_A_LIST
from portal_dev.openapi.schema import ListOf, ObjectOf, are_the_same
from portal_dev.openapi.writing.names import FreeNames, attribute_name, class_name, plural, singular
from portal_dev.openapi.writing.parameters import (
    OF_ALL_LISTS,
    described,
    sendable,
    sort_attribute,
    unheld,
    url_template,
)
from portal_dev.openapi.writing.resources import fixed_segments, has_parameter, is_part_of, is_row, parent

if TYPE_CHECKING:
    from portal_dev.openapi.schema import Operation, Shape
    from portal_dev.openapi.writing.classes import Classes
    from portal_dev.openapi.writing.resources import PlacedCall, ResourcePlace, Role

#: The verb of a hook's name, in the order in which hooks are written. An action has its own.
_VERBS: Final[dict[Role, str]] = {
    "list": "get",
    "counts": "get",
    "totals": "get",
    "detail": "get",
    "read": "get",
    "create": "create",
    "update": "update",
    "replace": "replace",
    "delete": "delete",
    "action": "",
}
#: What may tell rows apart that have no `id`.
_OTHER_IDS: Final = ("uuid", "key", "slug", "code", "number", "name")


@dataclass(frozen=True, kw_only=True)
class Hook:
    """One hook of a group.

    :param source: what declares it.
    :param call: what it calls.
    """

    name: str
    source: str
    is_query: bool
    call: PlacedCall


@dataclass(kw_only=True)
class Hooks:
    """The hooks of one module.

    :param group: the beginning of the names of both groups: `Client` for `ClientQueries`.
    :param names: of all hooks of the domain, each without `use_` and its kind.
    :ivar resources: name and source of each `resource(…)`.
    """

    group: str
    classes: Classes
    names: FreeNames
    resources: list[tuple[str, str]] = field(default_factory=list)
    found: list[Hook] = field(default_factory=list)
    _places: dict[str, ResourcePlace] = field(default_factory=dict)
    _answers: list[Shape] = field(default_factory=list)

    def add(self, place: ResourcePlace) -> None:
        """Name and declare the hooks of one place. Those of the places above it come first."""
        self._places[place.path] = place
        resource = self._resource(place)
        standard = list(place.resource.calls.values()) if place.resource is not None else []
        # What `resource(…)` declares has the plain names.
        for call in sorted(place.calls, key=lambda each: (list(_VERBS).index(each.role), each not in standard)):
            is_query = call.operation.method == "GET"
            name = self._name(call, place)
            hook = f"use_{name}_{'query' if is_query else 'mutation'}"
            if place.resource is not None and place.resource.calls.get(call.role) is call:
                # A list that `resource(…)` does not declare is none that it patches.
                stale = [] if is_query else place.reads
                source = f"{resource}.{call.role}" + "".join(f".invalidates(query_key={query})" for query in stale)
            else:
                source = self._query(call, name, place) if is_query else self._mutation(call, name, place)
            if call.operation.page_item is not None:
                place.list_hook = f"{self.group}Queries.{hook}"
            elif call.role == "detail":
                place.row_hook, place.row_shape = f"{self.group}Queries.{hook}", self._answer(call)
            elif is_query and call.role not in OF_A_LIST:
                place.reads.append(f"{self.group}Queries.{hook}")
            self.found.append(Hook(name=hook, source=source, is_query=is_query, call=call))

    def _name(self, call: PlacedCall, place: ResourcePlace) -> str:
        many = plural(place.noun)
        of_many = {"list": many, **{role: f"{many}_{role}" for role in OF_A_LIST}}
        noun = of_many.get(call.role, place.noun)
        verb, above = _VERBS[call.role], self._above(place)
        with_parent = noun if noun.startswith(above) else f"{above}_{noun}"
        if call.role == "replace" and all(each.role != "update" for each in place.calls):
            verb = "update"
        if call.role == "action" and call.operation.method in {"POST", "PUT"}:
            verb, noun, with_parent = noun, above, above
        elif call.role == "action":
            verb, noun = {"DELETE": "delete"}.get(call.operation.method, "update"), with_parent
        elif call.role == "read":
            noun = with_parent
        wanted = f"{verb}_{noun}".strip("_")
        method = call.operation.method.lower()
        by_place = [f"{verb}_{with_parent}".strip("_"), f"{verb}_{_of_path(place)}_{noun}".strip("_")]
        if call.role == "update" and any(each.role == "update" and each is not call for each in place.calls):
            by_place = []  # a PATCH and a POST of one row: nothing but the method tells them apart
        return self.names.unused(wanted, *by_place, f"{wanted}_with_{method}")

    def _above(self, place: ResourcePlace) -> str:
        """The noun of the row that a place belongs to; empty for a place without one."""
        path = parent(place.path)
        if not has_parameter(path):
            return ""
        known = self._places.get(parent(path))
        return known.noun if known else singular(attribute_name((fixed_segments(path) or [""])[-1]))

    # --- resource(…) ---

    def _resource(self, place: ResourcePlace) -> str:
        """Declare the resource; gives its name."""
        found = place.resource
        if found is None:
            return ""
        item = self.classes.record(found.item, wanted=class_name(place.noun))
        parts = [repr(found.path), f"item={item}"]
        if found.detail is not None:
            parts.append(f"detail={self.classes.record(found.detail, wanted=f'{item}Detail', extends=found.item)}")
        listed = found.calls.get("list")
        if listed is not None and (params := self._list_params(listed.operation, place)) != "ListParams":
            parts.append(f"params={params}")
            parts += unheld(listed.operation, found.item)
        if CREATED_AT_FIELD not in found.item.fields and (
            {"create", "update", "replace"} & set(found.calls) or "created_at" in map(attribute_name, found.item.fields)
        ):
            parts.append("newest_first_by=None")
        taken = FreeNames(name for name, _ in self.resources)
        name = taken.unused(f"_{plural(place.noun)}", f"_{_of_path(place)}")
        self.resources.append((name, f"resource({', '.join(parts)})"))
        return name

    # --- parameters ---

    def _list_params(self, operation: Operation, place: ResourcePlace) -> str:
        own = [each for each in sendable(operation) if each.in_path or each.name not in OF_ALL_LISTS]
        sort = sort_attribute(operation)
        if not own and not sort:
            return "ListParams"
        plurals = plural(place.noun)
        return self.classes.parameters(
            own,
            base="ListParams",
            wanted=class_name(f"{plurals}_list_params"),
            doc=" ".join(described(own, "ListParams")) or f"Which {plurals.replace('_', ' ')}.",
            more=sort,
        )

    def _params(self, operation: Operation, name: str, place: ResourcePlace) -> tuple[str, str]:
        """The class of the parameters, and the url. The class is empty for a call without parameters."""
        if operation.page_item is not None:
            return self._list_params(operation, place), url_template(operation, "ListParams")
        own = sendable(operation)
        if not own:
            return "", operation.path
        if [each.in_path for each in own] == [True]:
            return "RowParams", operation.path.replace(f"{{{own[0].name}}}", f"{{{ID_FIELD}}}")
        of_path = all(each.in_path for each in own)
        row = (self._above(place) or place.noun) if operation.path.endswith(place.path) else place.noun
        wanted = class_name(f"{row if of_path else name.removeprefix('get_')}_params")
        doc = " ".join(described(own, "Params")) or f"Which {row.replace('_', ' ')}."
        return self.classes.parameters(own, base="Params", wanted=wanted, doc=doc), url_template(operation, "Params")

    # --- explicit declarations ---

    def _query(self, call: PlacedCall, name: str, place: ResourcePlace) -> str:
        operation = call.operation
        params, url = self._params(operation, name, place)
        given = [f"params={params}"] if params else []
        item, answer = operation.page_item, self._answer(call)
        if isinstance(item, ObjectOf):
            row = self.classes.record(item, wanted=class_name(place.noun))
            unique = [] if is_row(item) else [f"unique_by={_unique_by(item)!r}"]
            options = [f"item={row}", *given, f"url={url!r}", *unique, *unheld(operation, item)]
            return f"paginated_query_endpoint({', '.join(options)})"
        data = self._type(answer, self._answer_name(call, place))
        return f"query_endpoint({', '.join([f'data={data}', *given, f'url={url!r}'])})"

    def _answer_name(self, call: PlacedCall, place: ResourcePlace) -> str:
        """The name of an answer's class, where the schema has none."""
        noun = place.noun
        if isinstance(call.operation.answer.shape, ListOf):
            return class_name(plural(noun))
        if call.role == "list":
            return class_name(f"{noun}_list")
        if call.role == "detail":
            return class_name(f"{noun}_res")
        above = self._above(place) or "_".join(fixed_segments(place.path)[-2:-1])
        return class_name(noun if noun.startswith(above) else f"{above}_{noun}")

    def _mutation(self, call: PlacedCall, name: str, place: ResourcePlace) -> str:
        operation = call.operation
        params, url = self._params(operation, name, place)
        parts = []
        answer = self._answer(call)
        if answer is not None:
            doc = f"What `use_{name}_mutation` is answered."
            parts.append(f"data={self._type(answer, class_name(f'{name}_res'), doc)}")
        if operation.body.shape is not None:
            parts.append(f"body={self._body(operation.body.shape, name, place)}")
        if params:
            parts.append(f"params={params}")
        parts += [f"url={url!r}", f"method={operation.method!r}"]
        return f"mutation_endpoint({', '.join(parts)}){self._effects(call, place)}"

    def _answer(self, call: PlacedCall) -> Shape | None:
        """What the call answers. Answers that say the same without a name are one, so they have one class."""
        shape = call.operation.answer.shape
        if not isinstance(shape, ObjectOf):
            return shape
        known = next((each for each in self._answers if are_the_same(each, shape)), None)
        if known is None:
            self._answers.append(shape)
        return known or shape

    def _type(self, shape: Shape | None, wanted: str, doc: str = "") -> str:
        kind = "Any" if shape is None else self.classes.type_of(shape, wanted=wanted, doc=doc)
        return "object" if kind == "Any" else kind

    def _body(self, shape: Shape, name: str, place: ResourcePlace) -> str:
        wanted, doc = class_name(f"{name}_req"), f"What `use_{name}_mutation` sends."
        if not isinstance(shape, ObjectOf) or not shape.fields:
            return self._type(shape, wanted, doc)
        row = place.resource.item if place.resource is not None else None
        sent = row if row is not None and is_part_of(shape, row) else shape
        return f"Partial[{self.classes.record(sent, wanted=wanted, doc=doc)}]"

    def _effects(self, call: PlacedCall, place: ResourcePlace) -> str:
        """What the write changes in cached queries: of its own place, and of the row that it belongs to."""
        above = self._places.get(parent(parent(place.path))) if has_parameter(parent(place.path)) else None
        # An action on a row changes the row.
        of_row = above if call.role == "action" and above is not None else place
        patched = _patch_of(call, of_row)
        patches = patched and of_row.list_hook
        stale = [] if call.role == "create" and patches else list(of_row.reads)
        effects = f".{patched}_paginated_list(list_query_key={of_row.list_hook})" if patches else ""
        if (
            of_row.row_hook
            and self._answer(call) is not None
            and self._answer(call) is of_row.row_shape
            and _is_of_one_row(call)
        ):
            effects += f".set_answer(query_key={of_row.row_hook})"
        elif of_row.row_hook and not (call.role == "create" and patches):
            stale.insert(0, of_row.row_hook)
        if of_row.list_hook and not patches:
            stale.insert(0, of_row.list_hook)
        for other in {id(each): each for each in (place, above) if each is not None and each is not of_row}.values():
            stale += filter(None, (other.list_hook, other.row_hook, *other.reads))
        effects += "".join(f".invalidates(query_key={query})" for query in dict.fromkeys(stale))
        return effects or ".changes_nothing()"


def _patch_of(call: PlacedCall, place: ResourcePlace) -> str:
    """The list helper of a write, but for the end of its name; empty for a write that changes no list by itself."""
    row = place.resource.item if place.resource is not None else None
    answer = call.operation.answer.shape
    gives_row = row is not None and answer is not None and are_the_same(answer, row)
    helpers: dict[Role, str] = {
        "create": "add_created_to" if gives_row else "",
        "update": "merge_updated_in" if gives_row else "",
        "replace": "merge_updated_in" if gives_row else "",
        "action": "merge_updated_in" if gives_row and _is_of_one_row(call) else "",
        "delete": "remove_from" if _is_of_one_row(call) else "",
    }
    return helpers.get(call.role, "")


def _is_of_one_row(call: PlacedCall) -> bool:
    """Whether the call names one row, and nothing else: its parameters are those of the row's own query."""
    return [each.in_path for each in sendable(call.operation)] == [True]


def _of_path(place: ResourcePlace) -> str:
    """The last fixed segment of a place's path: `archived` of `/orders/archived`."""
    return attribute_name((fixed_segments(place.path) or ["root"])[-1])


def _unique_by(item: ObjectOf) -> str | bool:
    return next((name for name in _OTHER_IDS if name in item.fields), False)
