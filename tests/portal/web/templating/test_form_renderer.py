"""The plain `<input>` is the one that Django's own templates give."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django import forms
from django.forms.renderers import Jinja2

from portal.web.templating.form_renderer import FormRenderer

ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"autofocus": True, "disabled": False, "maxlength": 40, "data-x": "\"<&'>"},
    {"autocomplete": "off", "inputmode": "tel", "required": None},
]


class AForm(forms.Form):
    text = forms.CharField(max_length=20)
    email = forms.EmailField(help_text="help")
    secret = forms.CharField(widget=forms.PasswordInput(render_value=False))
    hidden = forms.CharField(widget=forms.HiddenInput)
    number = forms.IntegerField(min_value=1)
    url = forms.URLField(assume_scheme="https")
    choice = forms.ChoiceField(choices=[("a", "<A>"), ("b", "B")])
    several = forms.MultipleChoiceField(choices=[("a", "A")], widget=forms.CheckboxSelectMultiple)
    long = forms.CharField(widget=forms.Textarea)
    agreed = forms.BooleanField()
    day = forms.DateField()
    file = forms.FileField()


def html_of(renderer: Any, data: dict[str, Any] | None) -> str:
    form = AForm(data, renderer=renderer, initial={"text": "<i>", "number": 3, "choice": "b"})
    return re.sub(r"\s+", " ", "".join(str(field) for field in form))


@pytest.mark.parametrize(
    "data", [None, {}, {"text": "\"'<&>", "email": "no", "number": "x", "choice": "z", "long": "<p>"}]
)
def test_every_field_is_written_as_django_writes_it(data: dict[str, Any] | None) -> None:
    assert html_of(FormRenderer(), data) == html_of(Jinja2(), data)


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("value", [None, "", "<x>", 0, False])
def test_attributes_are_written_as_django_writes_them(attributes: dict[str, Any], value: Any) -> None:
    for widget in (forms.TextInput(attrs=attributes), forms.HiddenInput(attrs=attributes)):
        ours, djangos = (widget.render("n", value, renderer=renderer) for renderer in (FormRenderer(), Jinja2()))
        assert re.sub(r"\s+", " ", ours) == re.sub(r"\s+", " ", djangos)
