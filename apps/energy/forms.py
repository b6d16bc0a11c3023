"""The forms of the energy app. They check what the backend checks."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.web.pages import BackendForm, one_line, telephone


class ClientForm(BackendForm):
    """Create and edit a client (contract, section 7: `name`, `email`, `phone`, `city`)."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        validators=[one_line],
        error_messages={"required": _("Enter the client’s name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    email = forms.EmailField(
        label=_("Email"),
        max_length=254,
        error_messages={"required": _("Enter an email address.")},
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    phone = forms.CharField(
        label=_("Phone"),
        max_length=40,
        required=False,
        validators=[telephone],
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "tel"}),
    )
    city = forms.CharField(
        label=_("City"),
        max_length=100,
        required=False,
        validators=[one_line],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
