"""Parameters of a call: which a hook can send, their keywords, their names on the wire, and their docstring."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, get_args

from portal.config.contract_names import (
    CREATED_AT_FIELD,
    CURSOR_PARAM,
    ID_FIELD,
    LIMIT_PARAM,
    SEARCH_PARAM,
    SORT_PARAM,
)
from portal.query import CommonSort, filter_of
from portal_dev.openapi.schema import Enumeration, ListOf, Scalar, in_words
from portal_dev.openapi.writing.names import (
    ClassAttribute,
    FreeNames,
    attribute_name,
    begun_small,
    is_possible,
    sentence,
    wire_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal_dev.openapi.schema import ObjectOf, Operation, Parameter, ValueKind
    from portal_dev.openapi.writing.names import ParamsBase

#: Parameters that every list has by the portal's own names.
OF_ALL_LISTS: Final = frozenset({SEARCH_PARAM, SORT_PARAM, CURSOR_PARAM, LIMIT_PARAM})
#: Names on the wire of what `ListParams` has.
_TAKEN: Final = {"q", "sort", "cursor", "pages"}
#: Keywords of hooks that no parameter may have.
_KEYWORDS_OF_ALL: Final = frozenset({"params", "pages", "cursor"})
_KEYWORDS_OF_LISTS: Final = _KEYWORDS_OF_ALL | {"q", "sort"}


def keywords(given: Iterable[Parameter], base: ParamsBase) -> list[str]:
    """The keywords of a hook for these parameters."""
    names = FreeNames(_KEYWORDS_OF_LISTS if base == "ListParams" else _KEYWORDS_OF_ALL)
    wanted = [attribute_name(each.name) for each in given]
    return [names.unused(name, f"{name}_") for name in wanted]


def parameter_attributes(given: Sequence[Parameter], base: ParamsBase) -> list[ClassAttribute]:
    """The fields of a class of parameters."""
    return [_parameter(name, each) for name, each in zip(keywords(given, base), given, strict=True)]


def sort_attribute(operation: Operation) -> list[ClassAttribute]:
    """The field of a list's parameters with its sort orders; none where the schema does not name them."""
    sort = next((each.shape for each in operation.query if each.name == SORT_PARAM), None)
    if not isinstance(sort, Enumeration):
        return []
    common = set(get_args(CommonSort)) <= set(sort.values)
    others = [value for value in sort.values if not (common and value in get_args(CommonSort))]
    # Both directions of an order side by side.
    others.sort(key=lambda value: (value.removeprefix("-"), value.startswith("-")))
    own = [f"Literal[{', '.join(map(repr, others))}]"] if others else []
    kind = " | ".join([*(["CommonSort"] if common else []), *own, "None"])
    return [ClassAttribute(name="sort", kind=kind, default="None")]


def _parameter(name: str, given: Parameter) -> ClassAttribute:
    """A keyword of a hook. Days and times are texts: so they stand in an address."""
    kinds: dict[ValueKind, str] = {"integer": "int", "number": "float", "boolean": "bool"}
    kind = kinds.get(given.shape.kind, "str") if isinstance(given.shape, Scalar) else "str"
    kind = "Values" if isinstance(given.shape, ListOf) else kind
    wire = name_in_url(name, given)
    return ClassAttribute(
        name=name,
        kind=kind if given.required else f"{kind} | None",
        default="" if given.required else "None",
        wire_name="" if wire_name(name) == wire else wire,
    )


def name_in_url(keyword: str, given: Parameter) -> str:
    """The name of a parameter on the wire. In a path it is a word in braces, so an odd name there may be any word."""
    is_odd = given.in_path and not re.fullmatch(r"[A-Za-z]\w*", given.name, re.ASCII)
    return wire_name(keyword) if is_odd else given.name


def _wire_name(parameter: Parameter) -> str:
    return name_in_url(attribute_name(parameter.name), parameter)


def sendable(operation: Operation) -> list[Parameter]:
    """The parameters that a hook can send."""
    return [each for each in operation.parameters if not why_not_sent(each, operation)]


def why_not_sent(parameter: Parameter, operation: Operation) -> str:
    """Why a hook can't send a parameter; empty for one that it can send."""
    if not is_possible(parameter.name):
        return "a name that no class of parameters can have"
    wire = _wire_name(parameter)
    if next(each for each in operation.parameters if _wire_name(each) == wire) is not parameter:
        return "a name that another parameter has"
    if not isinstance(parameter.shape, Scalar | Enumeration) and not _is_several(parameter):
        return f"{in_words(parameter.shape)}, which hooks do not send"
    taken = _TAKEN if parameter.in_path else _TAKEN - OF_ALL_LISTS
    if operation.page_item is not None and parameter.name in taken:
        return "a name that the parameters of lists have for something else"
    return ""


def _is_several(parameter: Parameter) -> bool:
    """Whether it takes several texts, written as hooks write them."""
    shape = parameter.shape
    of_texts = isinstance(shape, ListOf) and (
        isinstance(shape.item, Enumeration) or (isinstance(shape.item, Scalar) and shape.item.kind == "text")
    )
    return of_texts and parameter.is_joined and not parameter.in_path


def url_template(operation: Operation, base: ParamsBase) -> str:
    """The path, with the names that the class of the parameters gives them."""
    path = operation.path
    for name, each in zip(keywords(operation.path_parameters, base), operation.path_parameters, strict=True):
        path = path.replace(f"{{{each.name}}}", f"{{{name_in_url(name, each)}}}")
    return path


def unheld(operation: Operation, item: ObjectOf) -> list[str]:
    """The option of a list that names its parameters of which no field of a row tells anything; empty without them."""
    own = [each.name for each in sendable(operation) if not each.in_path and each.name not in OF_ALL_LISTS]
    without_field = [name for name in own if filter_of(name, known={*item.fields, ID_FIELD, CREATED_AT_FIELD}) is None]
    return [f"filter_fields={dict.fromkeys(without_field)!r}"] if without_field else []


def described(given: Sequence[Parameter], base: ParamsBase) -> list[str]:
    """What the docstring says of parameters; those with the same description together.

    Their names say what the limits of a time are.
    """
    by_description: dict[str, list[str]] = {}
    names = keywords(given, base)
    begins = [name.removesuffix("_from") for name in names if name.endswith("_from")]
    limits = {f"{each}{end}" for each in begins if f"{each}_to" in names for end in ("_from", "_to")}
    for name, each in zip(names, given, strict=True):
        if name not in limits and (description := sentence(each.description)):
            by_description.setdefault(description, []).append(f"`{name}`")
    return [f"{', '.join(names)}: {begun_small(text)}" for text, names in by_description.items()]
