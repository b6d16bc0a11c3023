"""Conflicts: fields that two users have changed to different values. The page shows both, and the user chooses.

All of a conflict is in the page's form: what the user typed is the field's value, what is there now is the value that
the field showed at first, and the form's version is the present one. So the next change by somebody else is a
conflict again.
"""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from portal.web.present import NO_VALUE, formats_of
from portal_pages.forms.form_fields import VERSION_INPUT
from portal_pages.forms.forms import BackendForm, FieldConflict
from portal_pages.forms.row_changes import RowChange

#: Names of hidden fields and radio buttons: the fields in conflict, by their names on the wire, and each choice.
CONFLICT_FIELD: Final = "inConflict"
KEEP_PREFIX: Final = "keep-"
MINE: Final = "mine"
THEIRS: Final = "theirs"


def in_conflict(form: BackendForm[Any]) -> tuple[str, ...]:
    """Attributes that a sent form shows with both values."""
    if not isinstance(form.data, QueryDict):
        return ()
    wanted = set(form.data.getlist(CONFLICT_FIELD))
    return tuple(name for name in form.shown_names if form.add_prefix(name) in wanted)


def settle_conflicts(form_type: type[BackendForm[Any]], sent: QueryDict) -> tuple[QueryDict, tuple[str, ...]]:
    """What was sent, with the other user's value in each field where this user chose that; and the open conflicts.

    :returns: attributes in conflict for which nothing was chosen.
    """
    if CONFLICT_FIELD not in sent:
        return sent, ()
    data, form, undecided = sent.copy(), form_type(sent), []
    for name in in_conflict(form):
        chosen = sent.get(KEEP_PREFIX + form.add_prefix(name))
        if chosen == THEIRS:
            _put(data, form.add_prefix(name), sent.getlist(form.add_initial_prefix(name)))
        elif chosen != MINE:
            undecided.append(name)
    return data, tuple(undecided)


def show_conflicts(form: BackendForm[Any], names: Collection[str], *, sent: Mapping[str, str]) -> None:
    """Show both values of each of these fields: what was typed, and what the form's hidden fields have.

    :param sent: the form as it was sent, with what was chosen before.
    """
    found = {}
    for name in names:
        bound, field = form[name], form.fields[name]
        shown = field.hidden_widget().value_from_datadict(form.data, form.files, bound.html_initial_name)
        chosen = sent.get(KEEP_PREFIX + bound.html_name, "")
        found[name] = FieldConflict(
            mine=typed_text(field, bound.data),
            theirs=typed_text(field, shown),
            chosen=chosen if chosen in {MINE, THEIRS} else "",
        )
    form.conflicts = found


def merged_form(form: BackendForm[Any], change: RowChange[Any]) -> BackendForm[Any]:
    """The form as it is shown again after somebody else has changed the row.

    It is one of the row as it is now. What this user has changed is still in it; what others alone have changed has
    its new value. The fields in conflict show both values.
    """
    now: Any = change.now
    sent: Any = form.data
    data, mine = sent.copy(), {name for name in form.changed_data if name not in change.theirs}
    fresh = type(form)(row=now)
    for name, field in fresh.fields.items():
        value = fresh[name].value()
        data.setlist(form.add_initial_prefix(name), _raw(field.hidden_widget(), value))
        if name not in mine:
            _put(data, form.add_prefix(name), _raw(field.widget, value))
    data[VERSION_INPUT] = str(getattr(now, "version", None) or "")
    merged = type(form)(data, row=now)
    merged.changed_meanwhile = labels(merged, change.theirs)
    show_conflicts(merged, change.conflicts, sent={})
    return merged


def labels(form: BackendForm[Any], names: Collection[str]) -> tuple[str, ...]:
    """The labels of fields."""
    return tuple(str(form.fields[name].label) for name in names if name in form.fields)


def _put(data: QueryDict, name: str, values: list[str]) -> None:
    """Put another value into a field. What else the field has sent, such as the name of the row before, goes."""
    for part in [each for each in data if each.startswith(f"{name}-")]:
        del data[part]
    data.setlist(name, values)


def _raw(widget: forms.Widget, value: Any) -> list[str]:
    """A value as a browser sends it."""
    if isinstance(widget, forms.CheckboxInput):
        return ["on"] if value else []
    written = widget.format_value(value)
    if isinstance(written, list | tuple):
        return [str(each) for each in written]
    return ["" if written is None else str(written)]


def typed_text(field: forms.Field, raw: Any) -> str:
    """A value that was sent, for people."""
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        words = {str(code): str(label) for code, label in choices}
        values = raw if isinstance(raw, list) else [raw]
        return ", ".join(words.get(str(each), str(each)) for each in values if each) or NO_VALUE
    try:
        value = field.to_python(raw)
    except ValidationError:
        value = raw
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return formats_of(get_language()).moment(value)
    if isinstance(value, date):
        return formats_of(get_language()).day(value)
    return NO_VALUE if value is None or value == "" else str(value)
