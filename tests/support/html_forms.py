"""What a page offers to a browser without scripts: links, forms; and the rows that it shows."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

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


class Page(HTMLParser):
    """A page that was read.

    :ivar links: addresses of `a`.
    :ivar parts: addresses that scripts ask for (`hx-get`).
    :ivar rows: ids of the rows that it shows.
    :ivar is_wrong: it says that something which was entered is wrong.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.rows: list[str] = []
        self.forms: list[Form] = []
        self.is_wrong = False
        self._by_id: dict[str, Form] = {}
        self._form: Form | None = None
        self._select: Field | None = None
        self._text: Field | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "hx-get" in given:
            self.parts.append(given["hx-get"])
        if "data-row-id" in given:
            self.rows.append(given["data-row-id"])
        self.is_wrong = self.is_wrong or given.get("aria-invalid") == "true"
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "form":
            self._form = Form(method=given.get("method", "get").lower(), action=given.get("action", ""))
            self._by_id[given.get("id", "")] = self._form
            self.forms.append(self._form)
        elif tag == "option" and self._select is not None:
            self._option(self._select, given)
        elif "name" in given:
            self._field(tag, given)

    def _option(self, select: Field, given: dict[str, str]) -> None:
        value = given.get("value", "")
        if value:
            select.options.append(value)
        if "selected" in given or not select.is_set:
            select.value, select.is_set = value, True

    def _field(self, tag: str, given: dict[str, str]) -> None:
        form = self._by_id.get(given.get("form", "")) if "form" in given else self._form
        if form is None or "disabled" in given:
            return
        kind = given.get("type", "text") if tag == "input" else tag
        if tag == "button" or kind in NOT_SENT:
            form.buttons.append((given["name"], given.get("value", "")))
        elif tag == "input":
            is_choice = kind in {"checkbox", "radio"}
            value = given.get("value", "on" if is_choice else "")
            form.fields.append(Field(given["name"], kind, value, is_set=not is_choice or "checked" in given))
        elif tag in {"select", "textarea"}:
            found = Field(given["name"], tag, is_set=tag == "textarea")
            form.fields.append(found)
            self._select, self._text = (found, None) if tag == "select" else (None, found)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            # The first line end of a text area belongs to its tag (HTML Living Standard, 4.10.11).
            self._text.value += data if self._text.value else data.removeprefix("\n")
