"""Names of the schema → names of Python."""

import keyword
import re
from typing import Final

import inflection

#: Names that a written class uses itself.
_USED: Final = re.compile("str|int|float|bool|tuple|field|date(time)?|self|cls|partial|l")


def words(name: str) -> list[str]:
    """Return the words of a name, in small letters, of ASCII letters and digits."""
    return re.findall(r"[a-z0-9]+", inflection.transliterate(inflection.underscore(name)).lower())


def attribute_name(name: str) -> str:
    """Return the attribute for a field: `maxPowerKw` is `max_power_kw`, `class` is `class_`."""
    found = "_".join(words(name)) or "unnamed"
    found = f"number_{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) or _USED.fullmatch(found) else found


def camel(attribute: str) -> str:
    """Return the name on the wire that an attribute has without `field(name=…)`."""
    first, *others = attribute.strip("_").split("_")
    return first + "".join(other.title() for other in others)


def class_name(name: str) -> str:
    """Return the class for a schema: `Page[Client]` is `PageClient`."""
    found = "".join(word.capitalize() for word in words(name)) or "Unnamed"
    return f"Number{found}" if found[0].isdigit() else found


def member_name(value: str) -> str:
    """Return the member of an enumeration for a text: `in_progress` is `IN_PROGRESS`."""
    found = "_".join(words(value)).upper() or ("OTHER" if value else "BLANK")
    return f"VALUE_{found}" if found[0].isdigit() or len(found) == 1 else found


def unused(wanted: str, taken: set[str]) -> str:
    """Return this name, with a number if it is taken; from now on it is taken."""
    numbered = (f"{wanted.rstrip('_')}{number}" for number in range(2, len(taken) + 3))
    found = next(name for name in (wanted, *numbered) if name not in taken)
    taken.add(found)
    return found
