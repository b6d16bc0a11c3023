"""Descriptions of a schema as docstrings and comments."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import Final

from portal_dev.openapi.writing.names import plural, singular

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
