"""The plain `<input>` is the one that Django's own templates give."""

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


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("value", [None, "", "<x>", 0, False])
def test_attributes_are_written_as_django_writes_them(attributes: dict[str, Any], value: Any) -> None:
    for widget in (forms.TextInput(attrs=attributes), forms.HiddenInput(attrs=attributes)):
        ours, djangos = (widget.render("n", value, renderer=renderer) for renderer in (FormRenderer(), Jinja2()))
        assert re.sub(r"\s+", " ", ours) == re.sub(r"\s+", " ", djangos)


def test_a_hidden_field_is_not_described() -> None:
    described = {"aria-describedby": "n_error", "id": "n"}
    shown, hidden = (
        str(widget(attrs=described).render("n", "x", renderer=FormRenderer()))
        for widget in (forms.TextInput, forms.HiddenInput)
    )
    assert ("aria-" in shown, "aria-" in hidden, 'id="n"' in hidden) == (True, False, True)
