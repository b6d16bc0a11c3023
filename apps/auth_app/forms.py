"""The sign-in form."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class LoginForm(forms.Form):
    """`email`, `password`, `next` (contract, section 6). The password is never written back into the page."""

    use_required_attribute = False

    email = forms.CharField(
        label=_("Email"),
        max_length=254,
        error_messages={"required": _("Enter your email address.")},
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autocapitalize": "none", "autofocus": True}),
    )
    # An address is not checked for its form: a wrong one is a wrong sign-in, like any other.
    password = forms.CharField(
        label=_("Password"),
        max_length=1000,
        strip=False,
        error_messages={"required": _("Enter your password.")},
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "current-password"}),
    )
    # Taken as it comes, controls and all: what is no address of ours leads home, and is no mistake in the form.
    next = forms.Field(required=False, widget=forms.HiddenInput())
