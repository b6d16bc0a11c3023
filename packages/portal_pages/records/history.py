"""The history of a row on its page: who did what and when, in words; and the notes that people write on it.

What a backend tells is taken as it comes: an entry of another kind, and a value that is no text, number, time or list
of them, are left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar, Final

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from portal.config.limits import MAX_PAGES
from portal.query import ActivityEntry, PaginatedQueryHook, PaginatedResult, Row, field_types, offers
from portal.rows import decoder_of, wire_names
from portal.web.present import NO_VALUE, Badge, LazyText, formats_of, is_not_there, list_text
from portal.web.templating import part_cache, render_part
from portal_pages.forms import NO_NOTES, AddView, BackendForm
from portal_pages.lists import Column, number_of_pages
from portal_pages.page_names import PageNames

ADD_NOTE: Final = gettext_lazy("Add a note")
NOTE_ADDED: Final = gettext_lazy("The note was added.")
#: The ends of the addresses: of the form, and of the page's section.
NOTE: Final = "note"
SECTION: Final = "history"
#: A note has as many characters at most, and of a value of a field so many are shown.
_NOTE_CHARS: Final = 2000
_VALUE_CHARS: Final = 80
_ID, _NAME = "Id", "Name"


class NoteForm(BackendForm[ActivityEntry]):
    """A note: one or several lines."""

    class Meta:
        """As of a form of an app."""

        fields: ClassVar = {"text": gettext_lazy("Note")}
        max_lengths: ClassVar = {"text": _NOTE_CHARS}
        widgets: ClassVar = {"text": forms.Textarea(attrs={"rows": 3, "autocomplete": "off"})}
        error_messages: ClassVar = {"text": {"required": gettext_lazy("Write something first.")}}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The history of a row.

    :param entries: the list of them; empty for none.
    :param older_url: the page with more of it; empty at its end.
    :param is_cut_off: the backend has more of it, and does not say where that begins.
    :param form: for a note; None where none can be written.
    """

    entries: str
    has_failed: bool
    older_url: str
    is_cut_off: bool
    form: NoteForm | None


def history_specs(
    activity: PaginatedQueryHook[ActivityEntry, ...] | None, request: HttpRequest, *, row_id: str
) -> list[Any]:
    """The call for the history, if there is one: as many pages of it as the address says."""
    if activity is None or not offers(activity):
        return []
    # To look for one in an address without parameters would cost a fifth of a cached read.
    asked = request.GET.get(SECTION, "") if request.META.get("QUERY_STRING") else ""
    return [activity.spec(id=row_id, pages=number_of_pages(asked, most=MAX_PAGES))]


def history_of(
    result: PaginatedResult[ActivityEntry], pages: PageNames, *, row: type[Row], row_id: str, takes_notes: bool
) -> History | None:
    """The history as the page shows it; None if the backend has none, or not for this user."""
    if is_not_there(result):
        return None
    items = result.data.items if result.pages else ()

    def make() -> tuple[str, ...]:
        shown = list(_shown(items, row=row, columns=pages.fields))
        return (render_part("portal/parts/history_entries.html", {"entries": shown}) if shown else "",)

    made_of = None if result.version is None else (SECTION, pages.detail, result.version, get_current_timezone())
    (entries,) = part_cache.kept(make, key=made_of)
    older = f"{reverse(pages.detail, args=[row_id])}?{SECTION}={result.pages + 1}#entry-{len(items)}"
    return History(
        entries=entries,
        has_failed=result.error is not None and not result.pages,
        older_url=older if result.has_next_page else "",
        is_cut_off=bool(result.pages) and result.data.is_cut_off,
        form=NoteForm(auto_id="note-%s") if takes_notes else None,
    )


def _shown(
    entries: Iterable[ActivityEntry], *, row: type[Row], columns: Mapping[str, Column]
) -> Iterator[tuple[str, str, str, datetime | None]]:
    """Of each entry: who did something, what, as the rest of that sentence, the text of a note, and when."""
    deeds = {
        "created": _("created this"),
        "deleted": _("deleted this"),
        "restored": _("restored this"),
        "note": _("wrote a note"),
    }
    for entry in entries:
        did = _changed(entry, row=row, columns=columns) if entry.kind == "changed" else deeds.get(entry.kind, "")
        if did:
            text = entry.text if entry.kind == "note" else ""
            yield entry.account_name or _("Somebody"), did, text, entry.created_at


def _changed(entry: ActivityEntry, *, row: type[Row], columns: Mapping[str, Column]) -> str:
    """The changes of an entry in words, those of fields that have a label. Of a related row, its name says what its id
    does not.
    """
    names = {each.field for each in entry.changes}
    parts = []
    for change in entry.changes:
        name, stem = change.field, change.field.removesuffix(_ID)
        if not name or (stem != name and not names.isdisjoint((stem, stem + _NAME))):
            continue
        column = columns.get(name) or columns.get(name.removesuffix(_NAME) + _ID)
        if column is None:
            continue
        before, after = (_text(name, value, row=row, column=column) for value in (change.before, change.after))
        values = {"field": column.label, "before": before, "after": after}
        if before and after:
            parts.append(_("changed “%(field)s” from %(before)s to %(after)s") % values)
        elif after and change.before in (None, ""):
            parts.append(_("set “%(field)s” to %(after)s") % values)
        elif before and change.after in (None, ""):
            parts.append(_("removed “%(field)s”, which was %(before)s") % values)
        else:
            parts.append(_("changed “%(field)s”") % values)
    return list_text(parts) or (_("changed this") if any(names) else "")


def _text(name: str, value: object, *, row: type[Row], column: Column) -> str:
    """A value of the wire in words; empty for one that has none."""
    info, decode = field_types(row).get(name), decoder_of(row)
    read = getattr(decode({name: value}), info.name) if info and decode and value is not None else None
    return _words(value if read is None or read == "" else read, column)


def _words(value: object, column: Column) -> str:
    formats, words = formats_of(get_language()), column.words or {}
    text = ""
    match value:
        case str() | bool() | int() if value in words:
            word = words[value]
            text = str(word.label if isinstance(word, Badge) else word)
        case str():
            text = " ".join(str.__str__(value).split())
        case bool():
            text = _("yes") if value else _("no")
        case int() | float() | Decimal():
            text = formats.compact_number(value, places=2)
        case date():
            text = formats.calendar_day(value) if column.format == "calendar_day" else formats.day(value)
        case list() | tuple():
            texts = [_words(each, column) for each in value]
            text = list_text(texts) if all(texts) else ""
    short = text if len(text) <= _VALUE_CHARS else f"{text[: _VALUE_CHARS - 1]}…"
    return "" if text == NO_VALUE else short


def fields_of(row: Any, *pages: object) -> dict[str, Column]:
    """What the pages of a resource know of the fields of its rows, by their names on the wire: labels and words.

    :param row: its class.
    """
    by_wire: dict[str, Column] = {}
    by_name: dict[str, Column] = {}
    for page in pages:
        shown = [getattr(each, "form", None) for each in (page, *getattr(page, "actions", ()))]
        by_name |= {name: Column(each.label) for form in shown if form for name, each in form.base_fields.items()}
        by_wire |= {each.field: Column(each.label) for each in getattr(page, "ranges", ())}
        by_wire |= {each.param: Column(each.label, words=each.choices) for each in getattr(page, "filters", ())}
    for page in pages:
        by_name |= getattr(page, "columns", {}) | getattr(page, "facts", {})
    return by_wire | {wire_names(row).get(name, name): column for name, column in by_name.items()}


@dataclass(frozen=True, kw_only=True, eq=False)
class NotePage(AddView[ActivityEntry]):
    """Takes the form for a note, and leads back to the row's page; a page of its own where the note was not taken."""

    section: ClassVar = f"#{SECTION}"
    refusal: ClassVar = NO_NOTES

    form: type[BackendForm[ActivityEntry]] = NoteForm
    title: LazyText = ADD_NOTE
    submit_label: LazyText = ADD_NOTE
    message: LazyText = NOTE_ADDED
