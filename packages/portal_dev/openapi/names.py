"""Names and texts of the schema → names, docstrings and comments of Python."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING, Final

import inflection

import portal.query

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Names that a written class uses itself.
_USED: Final = {
    *("str", "int", "float", "bool", "dict", "tuple", "object", "field", "datetime", "date"),
    *("self", "cls", "partial", "l"),
}
_TAKEN_CLASSES: Final = {*dir(portal.query), *dir(builtins), "Any", "Decimal", "Literal", "Unnamed"}
#: Endings that frameworks add to the names of schemas; a person leaves them out.
_ADDED: Final = re.compile(r"(?<=.)(Serializer|Schema|Response|Dto|DTO|Out|Res|Enum)$")


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def words(name: str) -> list[str]:
    """Return the words of a name, in small letters, of ASCII letters and digits."""
    split = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)(?=[A-Z][a-z])", r"\1\3 \2", _ascii(name))
    return re.findall(r"[a-z0-9]+", split.lower())


def attribute_name(name: str) -> str:
    """Return the attribute for a field: `maxPowerKw` is `max_power_kw`, `class` is `class_`."""
    found = "_".join(words(name)) or "unnamed"
    found = f"number_{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) or found in _USED else found


def camel(attribute: str) -> str:
    """Return the name on the wire that an attribute has without `field(name=…)`."""
    first, *others = attribute.strip("_").split("_")
    return first + "".join(other.title() for other in others)


def class_name(name: str) -> str:
    """Return the class for a schema: `ClientSerializer` is `Client`, `LoginRequestRequest` is `LoginReq`."""
    # The last part names a schema of several dots: `io.k8s.api.core.v1.Pod` is `Pod`.
    last = name.rpartition(".")[2] if name.count(".") > 1 else name
    found = "".join(word[:1].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", _ascii(last))) or "Unnamed"
    found = re.sub(r"(?<=.)(Request)+$", "Req", _ADDED.sub("", found))
    found = f"Number{found}" if found[0].isdigit() else found
    return f"{found}Record" if found in _TAKEN_CLASSES or keyword.iskeyword(found) else found


def member_name(value: str) -> str:
    """Return the member of an enumeration for a text: `in_progress` is `IN_PROGRESS`."""
    found = "_".join(words(value)).upper() or ("OTHER" if value else "BLANK")
    return f"VALUE_{found}" if found[0].isdigit() or len(found) == 1 else found


def singular(word: str) -> str:
    """Return one of these: `work_orders` are many of `work_order`."""
    return str(inflection.singularize(word))


def plural(word: str) -> str:
    """Return many of these."""
    return str(inflection.pluralize(word))


def is_possible(wire: str) -> bool:
    """Return whether a field can have this name on the wire: msgspec takes no other."""
    return bool(wire) and wire.isprintable() and not {'"', "\\"} & set(wire)


class FreeNames:
    """Names of one scope, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def unused(self, *wanted: str) -> str:
        """Return the first of these that is not given yet, else the last one with a number; from now on it is given."""
        numbered = (f"{wanted[-1].rstrip('_')}_{number}" for number in range(2, len(self._taken) + 3))
        found = next(name for name in (*wanted, *numbered) if name not in self._taken)
        self._taken.add(found)
        return found


def sentence(text: str) -> str:
    """Return the first sentence of a description on one line, of signs that no docstring is ended by."""
    # A framework lists the values of an enumeration there.
    lines = [line for line in text.strip().partition("\n\n")[0].splitlines() if not re.match(r"\s*[*#>|:-]", line)]
    plain = re.sub(r"<[^<>]{1,100}>", "", " ".join(" ".join(lines).split())).replace("\\", "/")
    plain = "".join(filter(str.isprintable, unicodedata.normalize("NFKC", plain)))
    found = re.split(r"(?<=[.!?])\s+(?=[A-Z`'(])", plain)[0].strip(":;, ")
    found = re.sub(r"^This (\w+ )?(is|represents|describes|contains) ", "", found)
    return f"{found[:1].upper()}{found[1:]}{'' if found[-1] in '.!?' else '.'}" if found else ""


def docstring(text: str) -> str:
    """Return a text as the docstring of a class."""
    lines = _wrapped(text.replace('"""', "'''"))
    end = "" if len(lines) == 1 else "\n    "
    return '    """' + "\n    ".join(lines) + f'{end}"""'


def comment(text: str) -> str:
    """Return a text as the lines of a comment."""
    return "\n".join(f"# {line}" for line in _wrapped("".join(filter(str.isprintable, text))))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)
