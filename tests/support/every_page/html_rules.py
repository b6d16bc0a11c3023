"""What every page and fragment must keep, read from its HTML."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Final

from django.contrib.staticfiles import finders

from portal.rows import replace_surrogates
from tests.support.every_page.rows import HOSTILE_TEXT

_VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta"})
#: Attributes that hold an address.
_ADDRESSES: Final = frozenset({"action", "formaction", "href", "hx-get", "hx-post", "src", "xlink:href"})
#: A path, a query, a fragment, an address of one of the apps, a telephone's number, a place and its map; nothing that
#: a browser would run.
_HARMLESS_ADDRESS: Final = re.compile(
    r"(?!//|/\\)(?:[/?#]|\Z|http://localhost:800[0-3](?:[/?]|\Z)|mailto:|tel:\+?[0-9]+\Z|geo:[-0-9.]+,[-0-9.]+\Z"
    r"|https://www\.openstreetmap\.org/\?mlat=[-0-9.]+&mlon=[-0-9.]+#map=17/[-0-9.]+/[-0-9.]+\Z)"
)
#: Attributes that name the id of an element of the same page.
_REFERENCES: Final = frozenset({"aria-describedby", "aria-labelledby", "for", "popovertarget"})
#: How Python writes a value that should have been a text, or nothing. "None." is a text of the profile.
_PYTHON: Final = re.compile(
    r"(?<=\W)(?:None(?!\.)|[Uu]ndefined|False|nan|inf)(?!\w)|0x[0-9a-f]{8}|<(?:class|function|bound|built-in)"
    r"|(?:Decimal|Markup|datetime)\("
)
_ESCAPED_TWICE: Final = re.compile(r"&(?:amp|lt|gt|quot|#x?[0-9a-fA-F]+);")
_MARKS: Final = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}")
_NAME: Final = re.compile(r"[a-z][a-z0-9:-]*")
_TOKEN: Final = re.compile(r"[A-Za-z0-9]{64}")


class PageHtml(HTMLParser):
    """The elements and texts of a page.

    :ivar elements: name and attributes, in order.
    :ivar texts: every text, and every attribute's value.
    :ivar wrong_ends: end tags that do not fit, elements that do not end, and those with an attribute twice.
    """

    def __init__(self, content: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.comments: list[str] = []
        self.wrong_ends: list[str] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self.feed(content)
        self.close()
        self._end_text()
        self.wrong_ends += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_text()
        named = {name: value or "" for name, value in attrs}
        self.elements.append((tag, named))
        self.texts += named.values()
        if len(named) != len(attrs):
            self.wrong_ends.append(f"{tag} has an attribute twice")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._end_text()
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.wrong_ends.append(tag)

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def _end_text(self) -> None:
        if self._text:
            self.texts.append("".join(self._text))
            self._text = []

    def all_of(self, *tags: str) -> Iterator[dict[str, str]]:
        """The attributes of these elements."""
        return (attributes for tag, attributes in self.elements if tag in tags)


def _words(text: str) -> str:
    """The text as a page shows it: white space counts as one space."""
    return " ".join(replace_surrogates(text).split())


#: What the hostile texts would be as HTML.
_HOSTILE: Final = PageHtml(HOSTILE_TEXT)
_HOSTILE_ELEMENTS: Final = frozenset(tag for tag, _ in _HOSTILE.elements) | {"b", "i", "u"}
_HOSTILE_ATTRIBUTES: Final = re.compile(r"on[a-z]+|style|srcdoc|data-hostile")
#: Parts of the hostile texts that would break a rule.
_ODD_PARTS: Final = ("{{7*7}}", "{%x%}", "Tom &amp; Jerry &lt;b&gt;", "&#x27;")


def problems_of(content: str, *, app: str, locale: str, shows: tuple[str, ...] = ()) -> Iterator[str]:
    """What is wrong with a page or fragment.

    :param shows: texts that must be there, each exactly.
    """
    page = PageHtml(content)
    said = _words("\n".join(page.texts))
    yield from (f"does not show {text[:60]!r}" for text in shows if _words(text) not in said)
    yield from _hostile_markup(page)
    for part in _ODD_PARTS:
        said = said.replace(part, "")
    yield from (f"shows a template's mark {mark}" for mark in _MARKS.findall(said))
    yield from (f"shows {match!r}, escaped twice" for match in _ESCAPED_TWICE.findall(said))
    yield from (f"shows Python's {match[0]!r}" for match in _PYTHON.finditer(f" {said}"))
    yield from (f"the tag {tag!r} is out of place" for tag in page.wrong_ends)
    yield from _ids(page)
    yield from _forms(page)
    yield from _accounts(page)
    if "<html" in content:
        yield from _document(page, content, app=app, locale=locale)


def _hostile_markup(page: PageHtml) -> Iterator[str]:
    for tag, attributes in page.elements:
        if tag in _HOSTILE_ELEMENTS and not (tag == "script" and attributes.get("src", "").startswith("/static/")):
            yield f"has an element {tag!r}"
        for name, value in attributes.items():
            if not _NAME.fullmatch(name) or _HOSTILE_ATTRIBUTES.fullmatch(name):
                yield f"has an attribute {name!r}"
            if name in _ADDRESSES and not _HARMLESS_ADDRESS.match(value):
                yield f"{tag} has the address {value!r}"
    yield from (f"has a comment {comment!r}" for comment in page.comments)


def _ids(page: PageHtml) -> Iterator[str]:
    ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
    yield from (f"has the id {name!r} {number} times" for name, number in ids.items() if number > 1 or not name)
    for tag, attributes in page.elements:
        for name in _REFERENCES & attributes.keys():
            yield from (f"{tag} names no id: {part!r}" for part in attributes[name].split() if part not in ids)


def _forms(page: PageHtml) -> Iterator[str]:
    """Every form that sends carries a token, and no other."""
    sends, tokens = 0, 0
    for tag, attributes in page.elements:
        sends += tag == "form" and attributes.get("method") == "post"
        if attributes.get("name") == "csrfmiddlewaretoken":
            tokens += 1
            if not _TOKEN.fullmatch(attributes.get("value", "")):
                yield f"has the token {attributes.get('value')!r}"
        if tokens > sends:
            yield "has a token outside of a form that sends"
    if tokens != sends:
        yield f"has {sends} forms that send, and {tokens} tokens"


def _accounts(page: PageHtml) -> Iterator[str]:
    """Where the account is known, every form that sends names it: but those of the language and of the sign-out."""
    forms: list[tuple[dict[str, str], set[str]]] = []
    for tag, attributes in page.elements:
        if tag == "form":
            forms.append((attributes, set()))
        elif tag == "input" and forms:
            forms[-1][1].add(attributes.get("name", ""))
    if any("hx-headers" in body for body in page.all_of("body")):
        for form, names in forms:
            action = form.get("action", "")
            if form.get("method") == "post" and not action.endswith(("/locale", "/logout")) and "madeFor" not in names:
                yield f"the form of {action} names no account"


def _document(page: PageHtml, content: str, *, app: str, locale: str) -> Iterator[str]:
    html = next(page.all_of("html"))
    if not content.lstrip().lower().startswith("<!doctype html>"):
        yield "has no doctype at its begin"
    if (html.get("lang"), html.get("data-app")) != (locale, app) or not html.get("data-pathname", "").startswith("/"):
        yield f"is the document {html}"
    sheets = [link.get("href", "") for link in page.all_of("link") if link.get("rel") == "stylesheet"]
    icons = [link.get("href", "") for link in page.all_of("link") if link.get("rel") == "icon"]
    scripts = [script.get("src", "") for script in page.all_of("script")]
    if not any(f"/{app}/" in sheet for sheet in sheets) or not icons or not scripts:
        yield f"has the style sheets {sheets}, the icons {icons}, the scripts {scripts}"
    yield from (f"names no file: {each!r}" for each in (*sheets, *icons, *scripts) if not _is_static_file(each))
    if not re.search(r"<title>[^<]* · [^\s<][^<]*</title>", content):
        yield "has no title"
    if [attributes["id"] for attributes in page.all_of("main") if "id" in attributes] != ["content"]:
        yield "has no main part"


@cache
def _is_static_file(address: str) -> bool:
    return finders.find(address.removeprefix("/static/")) is not None
