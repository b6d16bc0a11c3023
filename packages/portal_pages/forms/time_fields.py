"""Form fields for times, in the active time zone."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.web.present import in_active_zone

#: What `<input type="datetime-local">` takes and sends, whatever the language.
_TIME: Final = "%Y-%m-%dT%H:%M:%S"
#: The same as it is read, with the offset of hidden fields. `datetime.fromisoformat` takes weeks and more.
_TYPED: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d{1,6})?)?(Z|[+-]\d\d:\d\d(:\d\d([.]\d{1,6})?)?)?", re.ASCII
)


class _HiddenTime(forms.HiddenInput):
    """The time that a form shows, with its offset from UTC: one time also in an hour that comes twice."""

    def format_value(self, value: Any) -> str | None:
        """ISO 8601."""
        return value.isoformat() if isinstance(value, datetime) else super().format_value(value)


class TimeField(forms.DateTimeField):
    """A time in the active zone. Of an hour that comes twice, when clocks go back, the first is meant.

    In such an hour, a field that still has the text that it showed means the time that it showed.
    """

    hidden_widget = _HiddenTime

    def prepare_value(self, value: Any) -> Any:
        """As the widgets write it: in the active zone. What was typed stays as it is."""
        if isinstance(value, str):
            value = _parsed(value) or value
        is_exact = isinstance(value, datetime) and value.tzinfo is not None
        return in_active_zone(value) if is_exact else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether another time was typed."""
        typed = _parsed(data) if isinstance(data, str) else data
        if not isinstance(initial, datetime) or not isinstance(typed, datetime):
            return bool(super().has_changed(initial, data))
        if typed.tzinfo is None or initial.tzinfo is None:
            return typed.replace(tzinfo=None) != initial.replace(tzinfo=None)
        # In UTC: for Python, a time in an hour that comes twice equals none in another zone.
        return typed.astimezone(UTC) != initial.astimezone(UTC)

    def to_python(self, value: Any) -> Any:
        """The time.

        :raises ValidationError: it is none, or one that clocks leave out when they go forward.
        """
        if isinstance(value, str) and value.strip() and not _TYPED.fullmatch(value.strip()):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        try:
            return super().to_python(value)
        except forms.ValidationError as error:
            typed = (error.params or {}).get("datetime")
            if not isinstance(typed, datetime):
                raise
        zone = timezone.get_current_timezone()
        with suppress(OverflowError):
            first = typed.replace(tzinfo=zone)
            # What clocks leave out comes back as another time.
            if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == typed:
                return first.astimezone(UTC)
        raise forms.ValidationError(_("There is no such time on that day: the clocks go forward."), code="invalid")


def _parsed(text: str) -> datetime | None:
    """A time as browsers and hidden fields send it; None for any other text."""
    try:
        return parse_datetime(text.strip()) if _TYPED.fullmatch(text.strip()) else None
    except ValueError:
        return None


def _zone_hint() -> str:
    return gettext("Time zone: %(zone)s") % {"zone": timezone.get_current_timezone_name()}


def time_field(**settings: Any) -> forms.Field:
    """A field for a time, whose hint names the active zone."""
    widget = forms.DateTimeInput(format=_TIME, attrs={"type": "datetime-local", "step": "any"})
    return TimeField(**{"widget": widget, "help_text": lazy(_zone_hint, str)(), **settings})
