"""What a page offers to a browser without scripts: links, forms; and the rows that it shows."""

from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement, document_fromstring

#: What a person enters, by a part of the field's name or by its type; else nothing.
VALUES = {
    "email": "walker@example.com",
    "phone": "+49 731 12345",
    "password": "demo",
    # What is new is not late.
    "datetime-local": "2096-01-02T10:00",
    "date": "2026-01-02",
    "number": "1",
    "textarea": "Walked",
    "name": "Walked",
    "title": "Walked",
}
NOT_SENT = frozenset({"submit", "button", "reset", "image", "file"})


@dataclass
class Field:
    """A field of a form that has a name.

    :ivar options: the values of a choice that are no placeholder.
    """

    name: str
    kind: str
    value: str = ""
    is_set: bool = True
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    """A form.

    :ivar buttons: name and value of those that have a name.
    """

    method: str
    action: str
    fields: list[Field] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def add(self, element: HtmlElement) -> None:
        """Add a field or a button."""
        name, kind = element.get("name"), element.get("type", "text") if element.tag == "input" else element.tag
        if kind in NOT_SENT:
            self.buttons.append((name, element.get("value", "")))
        else:
            self.fields.append(Field(name, kind, **_value_of(element, kind)))

    def defaults(self) -> list[tuple[str, str]]:
        """What a browser sends of the form as it is."""
        return [(each.name, each.value) for each in self.fields if each.is_set]

    def filled(self) -> list[tuple[str, str]]:
        """The form with something valid in each empty field whose name or type says what."""
        sent = []
        chosen = {each.name for each in self.fields if each.kind == "radio" and each.is_set}
        for each in self.fields:
            if each.kind == "radio" and each.name not in chosen:
                chosen.add(each.name)
                sent.append((each.name, each.value))
            elif each.kind in {"radio", "checkbox"}:
                sent += [(each.name, each.value)] if each.is_set else []
            elif each.kind == "hidden":
                sent.append((each.name, each.value))
            else:
                sent.append((each.name, each.value or next(iter(each.options), "") or _value_for(each)))
        return sent


def _value_for(each: Field) -> str:
    if each.kind == "select":
        return ""
    return next((value for part, value in VALUES.items() if part in each.name.lower() or part == each.kind), "")


class Page:
    """A page that was read.

    :ivar links: addresses of `a`.
    :ivar parts: addresses that scripts ask for (`hx-get`).
    :ivar rows: ids of the rows that it shows.
    :ivar is_wrong: it says that something which was entered is wrong.
    """

    def __init__(self, html: str) -> None:
        tree = document_fromstring(html or "<p>")
        self.links: list[str] = tree.xpath("//a/@href")
        self.parts: list[str] = tree.xpath("//@hx-get")
        self.rows: list[str] = tree.xpath("//@data-row-id")
        self.is_wrong = bool(tree.xpath("//*[@aria-invalid='true']"))
        self.forms: list[Form] = []
        #: Those that have begun, by their elements and their ids.
        begun: dict[Any, Form] = {}
        for each in tree.iter("form", "button", "input", "select", "textarea"):
            owner = each.get("form") if "form" in each.attrib else next(each.iterancestors("form"), None)
            if each.tag == "form":
                self.forms.append(Form(method=each.get("method", "get").lower(), action=each.get("action", "")))
                begun |= dict.fromkeys((each, each.get("id", each)), self.forms[-1])
            elif "name" in each.attrib and "disabled" not in each.attrib and owner in begun:
                begun[owner].add(each)


def _value_of(each: HtmlElement, kind: str) -> dict[str, Any]:
    if kind == "select":
        options = list(each.iter("option"))
        chosen = [option for option in options if "selected" in option.attrib] or options[:1]
        values = [option.get("value") for option in options if option.get("value")]
        return {"value": chosen[-1].get("value", "") if chosen else "", "is_set": bool(chosen), "options": values}
    if kind == "textarea":
        # The first line end of a text area belongs to its tag (HTML Living Standard, 4.10.11).
        return {"value": (each.text or "").removeprefix("\n")}
    if kind in {"checkbox", "radio"}:
        return {"value": each.get("value", "on"), "is_set": "checked" in each.attrib}
    return {"value": each.get("value", "")}
