"""Names of the schema → names of Python: snake_case attributes, classes, members of enumerations."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from typing import TYPE_CHECKING, Final

import inflection

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Names that an attribute may not have: the class's own annotations and defaults use them, or methods of records do.
_TAKEN_ATTRIBUTES: Final = frozenset(
    {
        *("str", "int", "float", "bool", "dict", "tuple", "object", "field", "datetime", "date"),
        *("partial", "cls", "self", "l", "O", "I"),
    }
)
#: Names that the modules of services import, or that read like them.
_TAKEN_CLASSES: Final = frozenset(
    {
        *("Any", "Decimal", "ListParams", "MutationGroup", "OpenEnum", "Params", "Partial", "QueryGroup", "Record"),
        *("Row", "RowParams"),
    }
)
#: What frameworks add to the names of schemas; a person leaves it out.
_ADDED: Final = re.compile(r"(?<=.)(Serializer|Schema|Response|Dto|DTO|Out|Res)$")
#: Characters from which on a name with dots is shortened.
_LONG: Final = 40
_SIGNS: Final = {"+": " plus ", "-": " minus "}


def words(name: str) -> list[str]:
    """The words of a name, in small letters, of ASCII letters and digits: of camelCase, kebab-case and others."""
    # A sign before a number has a meaning: `+1` and `-1` are two names.
    signed = re.sub(r"^[+-](?=\d)", lambda found: _SIGNS[found[0]], name)
    plain = unicodedata.normalize("NFKD", signed).encode("ascii", "ignore").decode()
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", plain))
    return re.findall(r"[a-z0-9]+", split.lower())


def attribute_name(name: str) -> str:
    """The attribute for a field or a parameter: `maxPowerKw` is `max_power_kw`, `class` is `class_`."""
    found = "_".join(words(name)) or "unnamed"
    if found[0].isdigit():
        found = f"number_{found}"
    return f"{found}_" if keyword.iskeyword(found) or found in _TAKEN_ATTRIBUTES else found


def wire_name(attribute: str) -> str:
    """The name on the wire that an attribute has without `field(name=…)`."""
    first, *others = attribute.strip("_").split("_")
    return first + "".join(other.title() for other in others)


def is_possible(wire: str) -> bool:
    """Whether a field of a class can have this name on the wire: msgspec takes no other."""
    return bool(wire) and not re.search(r'["\\\x00-\x1f]', wire)


def shown(name: str) -> str:
    """A name in a message: on one line, and never nothing."""
    return name if name and name.isprintable() else repr(name)


def class_name(name: str) -> str:
    """The class for a schema: `issue-comment` is `IssueComment`."""
    found = "".join(word if word.isupper() else word[:1].upper() + word[1:] for word in _title_words(name)) or "Unnamed"
    if found[0].isdigit():
        found = f"Number{found}"
    return f"{found}Record" if found in _TAKEN_CLASSES or hasattr(builtins, found) else found


def _title_words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", plain)


def plain_class_name(name: str) -> str:
    """The same without what frameworks add: `ClientSerializer` is `Client`, `LoginRequestRequest` is `LoginReq`."""
    # Of a long name with dots the last part: `io.k8s.api.core.v1.Pod` is `Pod`.
    last = name.rpartition(".")[2] if len(name) > _LONG else name
    found = re.sub(r"(?<=.)(Request)+$", "Req", class_name(last).removesuffix("Enum"))
    return class_name(_ADDED.sub("", found) or name)


def member_name(value: str) -> str:
    """The member of an enumeration for a text: `in_progress` is `IN_PROGRESS`."""
    found = "_".join(words(value)).upper() or ("BLANK" if not value else "OTHER")
    # Linters take these two for digits.
    return f"VALUE_{found}" if found[0].isdigit() or found in {"I", "O"} else found


def singular(word: str) -> str:
    """One of these: `work_orders` are many of `work_order`."""
    return str(inflection.singularize(word))


def plural(word: str) -> str:
    """Many of these."""
    return str(inflection.pluralize(word))


def snake(name: str) -> str:
    """A class's name in words: `ChargingSession` is `charging_session`."""
    return "_".join(words(name))


class FreeNames:
    """Names of one scope, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def unused(self, *wanted: str) -> str:
        """The first of these that is not given yet, else the last one with a number; from now on it is given."""
        found = next((name for name in wanted if name not in self._taken), None)
        number = 2
        while found is None:
            separator = "_" if wanted[-1][-1].isdigit() or wanted[-1].islower() or wanted[-1].isupper() else ""
            name = f"{wanted[-1].rstrip('_')}{separator}{number}"
            found = name if name not in self._taken else None
            number += 1
        self._taken.add(found)
        return found
