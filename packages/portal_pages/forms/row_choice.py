"""A field that takes a row of another list: people type its name, the form sends its id.

With scripts, matches are listed while one types. Without them, the form comes back with the matches to choose from, if
what was typed is not the name of exactly one row.

The parts of a field `stationId` in a form: `stationId` is the id, `stationId-of` the name of the row with that id,
`stationId-text` what was typed, `stationId-pick` what was chosen from the matches. A form with `stationId` alone is one
with an id (contract, section 6).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext as _

from portal.errors import ApiError, ApiNotFoundError
from portal.query import PaginatedQueryHook, QueryHook, Row, offers
from portal.web.present import NO_VALUE
from portal.web.request import MAX_SEARCH_CHARS, best_first, search_text
from portal.web.templating import render_part
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.text_fields import one_line

#: The parameter with the field's name, of a request for what matches; and that with what was typed.
CHOICES_PARAM: Final = "choices"
TEXT_PARAM: Final = "q"
#: More rows than people read are no choice: they type another letter.
MOST_MATCHES: Final = 10
MOST_SUGGESTIONS: Final = 50

TEXT: Final = "-text"
OF: Final = "-of"
PICK: Final = "-pick"
#: What the server has found out about a form that was sent. A form that brings it is not believed.
_MATCH: Final = "-match"
_PROBLEM: Final = "-problem"


class RowChoiceWidget(forms.Widget):
    """The parts of the field.

    :ivar text: what people see.
    :ivar matches: ids and names, one after another, to choose from.
    :ivar problem: the error; empty for none.
    """

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.text = ""
        self.matches: list[str] = []
        self.problem = ""

    def value_from_datadict(self, data: Mapping[str, Any], files: object, name: str) -> Any:
        """The id; what belongs to it is kept for the page."""
        del files
        # A form asks for its data more than once, also after the row's name was looked up.
        self.text = data.get(name + TEXT) or self.text
        self.problem = data.get(name + _PROBLEM) or ""
        listed: Any = data
        self.matches = listed.getlist(name + _MATCH) if hasattr(data, "getlist") else []
        return data.get(name)

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: object = None) -> Any:
        """The HTML."""
        del renderer
        return render_part(
            "portal/parts/row_choice.html",
            {
                "name": name,
                "value": value or "",
                "text": self.text,
                "matches": list(zip(self.matches[::2], self.matches[1::2], strict=False)),
                "attrs": {**self.attrs, **(attrs or {})},
            },
        )


class RowChoiceField(forms.CharField):
    """A field of a form: `station_id = RowChoiceField(hook=…, record=…, required=False)`.

    :param hook: the list in which people search.
    :param record: the row with an id, for its name.
    :param hint: what tells rows of one name apart, such as their city.
    :param otherwise: the field of the form in its place, where the backend does not have that list.
    """

    widget = RowChoiceWidget
    suggests = True

    def __init__(
        self,
        *,
        hook: PaginatedQueryHook[Any, ...],
        record: QueryHook[Any, ...],
        hint: Callable[[Any], str] = lambda _row: "",
        otherwise: str = "",
        **settings: Any,
    ) -> None:
        super().__init__(validators=[one_line], **settings)
        self.hook, self.record, self.hint, self.otherwise = hook, record, hint, otherwise

    def clean(self, value: Any) -> Any:
        """The id.

        :raises ValidationError: what was typed is not the name of exactly one row.
        """
        widget: Any = self.widget
        if widget.problem:
            raise ValidationError(widget.problem, code="no_row")
        return super().clean(value)

    def rows(self, request: HttpRequest, text: str) -> list[Row]:
        """What matches a text.

        :raises portal.errors.ApiError: the backend did not answer.
        """
        return best_first(
            self.hook(request, **({"q": text} if text and offers(self.hook, "q") else {})).unwrap().items, text
        )

    def suggestions(self, request: HttpRequest, name: str) -> str:
        """What matches the text that a script asks for, as HTML.

        :param name: of the field in HTML.
        :raises portal.errors.ApiError: the backend did not answer.
        """
        found = self.rows(request, search_text(request.GET.get(TEXT_PARAM, "")))[:MOST_MATCHES]
        rows = [{"id": row.id, "text": str(row), "hint": self.hint(row)} for row in found]
        return render_part("portal/parts/row_choices.html", {"name": name, "rows": rows})

    def label_of(self, row: Row) -> str:
        """The name of a row, with what tells it apart."""
        return ", ".join(part for part in (str(row), self.hint(row)) if part)


class SuggestingInput(forms.TextInput):
    """A text with suggestions, which a script fetches when somebody comes to the field."""

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> Any:
        """The HTML."""
        listed = f"{(attrs or {}).get('id', name)}-known"
        given = {**(attrs or {}), "list": listed, "data-suggest": name}
        return super().render(name, value, given, renderer) + format_html('<datalist id="{}"></datalist>', listed)


class SuggestedField(forms.CharField):
    """A text of which other rows have known values: `assignee = SuggestedField(counts=…, by="assignee")`.

    :param counts: the list's numbers by value.
    :param by: the field, by its name on the wire.
    """

    widget = SuggestingInput
    suggests = True

    def __init__(self, *, counts: QueryHook[Any, ...], by: str, **settings: Any) -> None:
        super().__init__(validators=[one_line], **settings)
        self.counts, self.by = counts, by

    def suggestions(self, request: HttpRequest, _name: str) -> str:
        """The known values, the most frequent ones first, as HTML.

        :raises portal.errors.ApiError: the backend did not answer.
        """
        numbers = self.counts(request, by=self.by).unwrap().get(self.by) or {}
        known = sorted(filter(None, numbers), key=lambda value: (-(numbers[value] or 0), value))[:MOST_SUGGESTIONS]
        return render_part("portal/parts/suggestions.html", {"texts": known})


def _row_choices(form: type[BackendForm[Any]]) -> list[tuple[str, str, RowChoiceField]]:
    """Each such field with its name in HTML and its own."""
    made: Any = form
    found = [(name, field) for name, field in made.base_fields.items() if isinstance(field, RowChoiceField)]
    in_html = made().add_prefix if found else str
    return [(in_html(name), name, field) for name, field in found]


def matches_response(request: HttpRequest, form: type[BackendForm[Any]]) -> HttpResponse | None:
    """What matches the text that a script asks for; None for a request for the page.

    :raises portal.errors.ApiError: the backend did not answer.
    """
    wanted = request.GET.get(CHOICES_PARAM)
    made: Any = form
    if wanted is None:
        return None
    for name, field in made.base_fields.items():
        if getattr(field, "suggests", False) and made().add_prefix(name) == wanted:
            return HttpResponse(field.suggestions(request, wanted))
    return HttpResponse("")


def with_rows_chosen(request: HttpRequest, form: type[BackendForm[Any]], sent: QueryDict) -> QueryDict:
    """A form that was sent, with the ids of the rows whose names were typed, and with what is wrong with the names."""
    choices = _row_choices(form)
    data = sent.copy() if choices else sent
    for name, _name, field in choices:
        for part in (_MATCH, _PROBLEM):
            data.pop(name + part, None)
        if name + TEXT in data:
            _resolve(request, field, data, name=name)
    return data


def _resolve(request: HttpRequest, field: RowChoiceField, data: QueryDict, *, name: str) -> None:
    text, picked = search_text(str(data[name + TEXT])), data.get(name + PICK, "")
    if text and not picked and data.get(name) and text == search_text(str(data.get(name + OF, ""))):
        return
    data[name], data[name + TEXT] = "", text
    if not text and not picked:
        return
    try:
        found = [field.record(request, id=picked).unwrap()] if picked else field.rows(request, text)
    except ApiNotFoundError:
        data[name + _PROBLEM] = _("What you chose is not there any more. Please choose again.")
        return
    except ApiError:
        data[name + _PROBLEM] = _("“%(text)s” could not be looked up. Please try again.") % {"text": text}
        return
    exact = [row for row in found if picked or text.casefold() in {search_text(str(row)).casefold(), row.id.casefold()}]
    if len(exact) == 1:
        data[name], data[name + TEXT] = exact[0].id, str(exact[0])
        return
    matches = (exact or found)[:MOST_MATCHES]
    if matches:
        data.setlist(name + _MATCH, [part for row in matches for part in (row.id, field.label_of(row))])
        data[name + _PROBLEM] = _("“%(text)s” is not the name of exactly one. Choose one.") % {"text": text}
    else:
        data[name + _PROBLEM] = _("There is nothing called “%(text)s”.") % {"text": text}


def given_in_address(request: HttpRequest, form: type[BackendForm[Any]]) -> dict[str, str]:
    """The rows, choices and texts that the address of an empty form gives: `?stationId=sta_1&title=Fault`.

    A text is cut at the field's length, and at 200 characters.
    """
    if not request.GET:
        return {}
    made, found = form(), {}
    for name, field in made.fields.items():
        text = request.GET.get(made.add_prefix(name), "")
        if isinstance(field, forms.ChoiceField) and field.valid_value(text):
            found[name] = text
        elif text and isinstance(field, forms.CharField):
            found[name] = text[: min(field.max_length or MAX_SEARCH_CHARS, MAX_SEARCH_CHARS)]
    return found


def usable_form(request: HttpRequest, form: Any) -> Any:
    """The form's class without rows to choose from lists that are not offered, unless an id is given."""
    left_out = set()
    for html_name, name, field in _row_choices(form):
        is_given = request.GET.get(html_name) or request.POST.get(html_name)
        left_out.add(field.otherwise if offers(field.hook) or is_given else name)
    return _form_without(form, frozenset(left_out - {""}))


@lru_cache(maxsize=256)
def _form_without(form: Any, names: frozenset[str]) -> Any:
    if names.isdisjoint(form.base_fields):
        return form
    made: Any = type(form.__name__, (form,), {"__module__": form.__module__})
    made.base_fields = {name: field for name, field in form.base_fields.items() if name not in names}
    return made


def name_chosen_rows(request: HttpRequest, form: BackendForm[Any]) -> None:
    """Write the names of the rows whose ids a form shows. An id that no row has is left out."""
    for bound in form:
        field = bound.field
        if not isinstance(field, RowChoiceField):
            continue
        widget: Any = field.widget
        row_id = bound.value()
        if row_id and not widget.text:
            widget.text = _name_of(request, field, str(row_id))
        conflict = form.conflicts.get(bound.name)
        if conflict is not None:
            names = {side: _name_of(request, field, getattr(conflict, side)) for side in ("mine", "theirs")}
            form.conflicts = {**form.conflicts, bound.name: replace(conflict, **names)}


def _name_of(request: HttpRequest, field: RowChoiceField, row_id: str) -> str:
    """A row's name; its id where it has none, or is not there. Of a list that is not there no row is asked for."""
    if row_id == NO_VALUE or not offers(field.hook):
        return row_id
    try:
        found = field.record(request, id=row_id)
    except ApiNotFoundError:  # an id that no path can hold
        return row_id
    return row_id if found.data is None else str(found.data)
