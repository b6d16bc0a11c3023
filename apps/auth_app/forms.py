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
    # The email is not validated: an address that cannot exist fails like any wrong sign-in.
    password = forms.CharField(
        label=_("Password"),
        max_length=1000,
        strip=False,
        error_messages={"required": _("Enter your password.")},
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "current-password"}),
    )
    # Not validated, not even for control characters: a URL that is not ours redirects home, and is no error.
    next = forms.Field(required=False, widget=forms.HiddenInput())
