"""The forms of the operations app. They check what the backend checks."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.operations.presenters.work_orders import PRIORITIES
from portal.web.pages import BackendForm, one_line


class WorkOrderForm(BackendForm):
    """A new work order (contract, section 7: `title`, `stationId`, `priority`)."""

    title = forms.CharField(
        label=_("Title"),
        max_length=200,
        validators=[one_line],
        error_messages={"required": _("Say what is to be done.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    priority = forms.ChoiceField(
        label=_("Priority"),
        choices=[(code, badge.label) for code, badge in PRIORITIES.items()],
        initial="normal",
        error_messages={"required": _("Choose a priority.")},
    )
    # The name is the backend's (contract, section 6, "Form fields have the API's names").
    stationId = forms.CharField(  # noqa: N815  the API's own name of the field
        label=_("Station number"),
        max_length=64,
        required=False,
        validators=[one_line],
        help_text=_("As it stands on the station’s page, such as sta_…"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
