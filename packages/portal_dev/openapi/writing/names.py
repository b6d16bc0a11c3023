"""Names of the schema → names of Python: snake_case attributes, classes, members of enumerations."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from portal_dev.openapi.schema import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Names that an attribute may not have: the class's own annotations and defaults use them, or methods of records do.
_TAKEN_ATTRIBUTES: Final = frozenset(
    {
        *("str", "int", "float", "bool", "dict", "tuple", "object", "field", "datetime", "date"),
        *("partial", "cls", "self", "l", "O", "I"),
    }
)
#: Names that the modules of services may need, and where each is from.
IMPORTS: Final = {
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Any", "Literal"),
    "portal.query": (
        *("CommonSort", "ListParams", "MutationGroup", "OpenEnum", "Params", "Partial", "QueryGroup", "Record", "Row"),
        *("RowParams", "Values", "field"),
        *("mutation_endpoint", "paginated_query_endpoint", "query_endpoint", "resource"),
    ),
}
_IMPORTED: Final = frozenset(name for names in IMPORTS.values() for name in names)
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
    return f"{found}Record" if found in _IMPORTED or hasattr(builtins, found) else found


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
    return str(_inflection().singularize(word))


def plural(word: str) -> str:
    """Many of these."""
    return str(_inflection().pluralize(word))


def _inflection() -> Any:
    try:
        import inflection  # noqa: PLC0415  other commands of the package need no extra
    except ImportError:
        raise SchemaError("", "names need inflection, of the extra `dev`: pip install 'portal-library[dev]'") from None
    return inflection


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


ParamsBase: TypeAlias = Literal["Params", "ListParams"]
#: The base of enumerations.
OPEN_ENUM: Final = "OpenEnum"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAttribute:
    """A field of a class, a parameter, or a member of an enumeration.

    :param kind: its annotation; empty for a member.
    :param default: as source; empty where it must be given.
    :param wire_name: its name on the wire, where its own does not say it; of a member its value.
    :param comment: what the schema says and the type does not.
    """

    name: str
    kind: str = ""
    default: str = ""
    wire_name: str = ""
    comment: str = ""


@dataclass(kw_only=True)
class Declared:
    """A class to write.

    :param module: dotted name of the module that declares it.
    :param base: of the query layer, or another class.
    :param doc: its docstring.
    :param notes: what the docstring says of its fields.
    :param rename: how attributes become names on the wire, where that is not camelCase.
    :param called: of a row, the attribute that people call it by; empty where no name says so.
    """

    name: str
    module: str
    base: str
    doc: str
    notes: list[str] = field(default_factory=list)
    rename: str = ""
    called: str = ""
    attributes: list[ClassAttribute] = field(default_factory=list)


@dataclass(kw_only=True)
class Library:
    """The classes of all modules.

    :param rows: the pointers of objects that are rows; the others are records.
    :ivar names: of classes, each given once.
    :ivar by_scope: folder, or module without one, to its classes, by pointer. Modules of one folder share classes.
    """

    rows: frozenset[str]
    names: FreeNames = field(default_factory=FreeNames)
    by_scope: dict[str, dict[str, Declared]] = field(default_factory=dict)


def shorten(made: Declared) -> None:
    """Say once for the class that names on the wire are those of the attributes, where that leaves fewer to be said."""
    wires = {each.name: each.wire_name or wire_name(each.name) for each in made.attributes}
    if sum(wire != name for name, wire in wires.items()) < sum(bool(each.wire_name) for each in made.attributes):
        made.rename = "lower"
        made.attributes = [
            replace(each, wire_name="" if wires[each.name] == each.name else wires[each.name])
            for each in made.attributes
        ]


_WIDTH: Final = 120
#: Signs that a linter takes for other ones, and what is written for them: quotation marks, dashes, the sign of times.
_PLAIN: Final = {
    **dict.fromkeys((0x2018, 0x00B4, 0x2018, 0x2032), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x00AB, 0x00BB, 0x2033), '"'),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2014, 0x2015, 0x2212), "-"),
    0x00D7: "x",
}
#: The end of a sentence: not that of `e.g.`, `i.e.` and of numbers.
_SENTENCE: Final = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?](?=\s+[A-Z`*\"(]|\s*$)")


def sentence(text: str) -> str:
    """The first sentence of a description on one line, with its full stop; empty where there is none."""
    # A framework lists the values of an enumeration there.
    lines = [line for line in text.splitlines() if not re.match(r"\s*([*#>|-]|`{3}|:\w+)", line)]
    paragraph = next((part for part in re.split(r"\n\s*\n", "\n".join(lines)) if part.strip()), "")
    plain = re.sub(r"<[^<>]{1,100}>", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
    plain = " ".join(_ascii_signs(plain).split())
    end = _SENTENCE.search(plain)
    found = plain[: end.end()] if end else plain
    return f"{found.rstrip(':;, ')}." if found and found[-1] not in ".!?" else found


def _ascii_signs(text: str) -> str:
    """The text with the signs that a linter takes for a mistake as plain ones; letters of all languages stay."""
    ticks = text.replace("`", "\0")
    plain = unicodedata.normalize("NFKC", ticks.translate(_PLAIN)).replace("\0", "`")
    return "".join(each for each in plain if each.isprintable() or each in "\n\t")


def begun_small(text: str) -> str:
    """The text with a small letter at its start, unless its first word is a name such as `ID`."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def about(name: str) -> str:
    """What a class is, by its name: `InvoiceLine` is an invoice line."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    last = split.rpartition(" ")[2]
    if plural(last) == last and singular(last) != last:
        return f"{split[:1].upper()}{split[1:]}."
    article = "An" if re.match(r"[aeio]|u(?!ni|s)", split) else "A"
    return f"{article} {split}."


def docstring(text: str, *more: str, indent: str = "    ") -> list[str]:
    """The lines of a docstring.

    :param more: further paragraphs.
    """
    paragraphs = [part for part in (_begun(text), *more) if part]
    raw = "r" if any("\\" in part for part in paragraphs) else ""
    paragraphs = [part.replace('"""', "'''") for part in paragraphs]
    one = f'{indent}{raw}"""{paragraphs[0]}"""'
    # A quotation mark at the end would end the docstring.
    if len(paragraphs) == 1 and len(one) <= _WIDTH and not paragraphs[0].endswith('"'):
        return [one]
    # A formatter puts the end beside a line that stands alone, also where that makes it too long.
    first, *others = paragraphs
    lines = _wrapped(first, first=f'{indent}{raw}"""', other=indent, width=_WIDTH if others else _WIDTH - 3)
    for part in others:
        lines += ["", *_wrapped(part, first=indent, other=indent)]
    return [*lines, f'{indent}"""']


def comment(text: str, *, indent: str = "") -> list[str]:
    """The lines of a comment."""
    return _wrapped(_ascii_signs(text), first=f"{indent}# ", other=f"{indent}# ")


def _begun(text: str) -> str:
    """The first paragraph as a linter wants it: with a capital, and not with the word "This"."""
    found = re.sub(
        r"^This (object|resource|is|represents|describes|contains)\b( (is|represents|describes|contains))?", "", text
    )
    found = found.strip() if found != text else text
    found = re.sub(r"^This\b", "It: this", found, flags=re.IGNORECASE)
    # A formatter would put a space before it, and a linter refuses that.
    found = found.replace('"', "'") if found.startswith('"') else found
    return found[:1].upper() + found[1:]


def _wrapped(text: str, *, first: str, other: str, width: int = _WIDTH) -> list[str]:
    # An address that is longer than a line is left out: no line may be that long.
    longest = _WIDTH - len(other) - 10
    words = " ".join([word for word in text.split() if len(word) < longest] or [text[:longest].rstrip()])
    return textwrap.wrap(
        words, width, initial_indent=first, subsequent_indent=other, break_long_words=False, break_on_hyphens=False
    )
