"""Parameters of a call: the keywords of its hook, and their names on the wire."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from portal.devtools.openapi.schema import Scalar
from portal.devtools.openapi.writing.declared import ClassAttribute
from portal.devtools.openapi.writing.names import FreeNames, attribute_name, wire_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.devtools.openapi.schema import Parameter, ValueKind
    from portal.devtools.openapi.writing.declared import ParamsBase

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


def _parameter(name: str, given: Parameter) -> ClassAttribute:
    """A keyword of a hook. Days and times are texts: so they stand in an address."""
    kinds: dict[ValueKind, str] = {"integer": "int", "number": "float", "boolean": "bool"}
    kind = kinds.get(given.shape.kind, "str") if isinstance(given.shape, Scalar) else "str"
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
