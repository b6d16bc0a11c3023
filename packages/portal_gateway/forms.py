"""The gateway's forms: sign-in, the user's name, a forgotten password."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from portal_pages import one_line, use_plain_messages


class PlainForm(forms.Form):
    """A form that speaks as those of rows do."""

    # The page shows what is required; a browser's own messages would not be in the page's language.
    use_required_attribute = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        use_plain_messages(self.fields.values())
        for field in self.fields.values():
            # A browser silently cuts a pasted text at this length; the form shows an error instead.
            field.widget.attrs.pop("maxlength", None)


def email_field() -> forms.CharField:
    """Whose account it is. Not validated: an address that cannot exist has no account, and is told like any other."""
    return forms.CharField(
        label=_("Email"),
        max_length=254,
        error_messages={"required": _("Enter your email address.")},
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autocapitalize": "none", "autofocus": True}),
    )


class LoginForm(PlainForm):
    """`email`, `password`, `next` (contract, section 6). The password is never written back into the page."""

    email = email_field()
    password = forms.CharField(
        label=_("Password"),
        max_length=1000,
        strip=False,
        error_messages={"required": _("Enter your password.")},
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "current-password"}),
    )
    # Not validated, not even for control characters: a URL that is not ours redirects home, and is no error.
    next = forms.Field(required=False, widget=forms.HiddenInput())

    def focus_password(self) -> None:
        """Begin at the password: the email is there, and one of the two was wrong."""
        del self.fields["email"].widget.attrs["autofocus"]
        self.fields["password"].widget.attrs["autofocus"] = True


class NameForm(PlainForm):
    """The name by which the others know the user."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        validators=[one_line],
        error_messages={"required": _("Enter your name.")},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class ForgotPasswordForm(PlainForm):
    """Whose password is forgotten."""

    email = email_field()


class ResetPasswordForm(PlainForm):
    """The new password, and the token of the link."""

    token = forms.CharField(max_length=1000, widget=forms.HiddenInput(attrs={"autocomplete": "off"}))
    password = forms.CharField(
        label=_("New password"),
        min_length=8,
        max_length=1000,
        strip=False,
        help_text=_("At least 8 characters."),
        error_messages={"required": _("Enter a password."), "min_length": _("Use at least 8 characters.")},
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password", "autofocus": True}),
    )
