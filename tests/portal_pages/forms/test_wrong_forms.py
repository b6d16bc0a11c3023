"""A form that can't work is told when its class is made."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms

from portal.errors import (
    UsageError,
)
from portal_pages.forms.forms import BackendForm
from tests.portal_pages.payments import make_form


@pytest.mark.parametrize(
    ("meta", "declared", "words"),
    [
        ({"fields": {"payerr": "Payer"}}, {}, r"OddForm: Payment has no field 'payerr'; there are id, .*payer"),
        ({}, {"paid": forms.CharField()}, r"OddForm: Payment has no field 'paid'; there are id,"),
        (
            {"fields": {"tags": "Tags"}},
            {},
            r"OddForm: declare the field 'tags' itself: there is none for the type tuple",
        ),
        (
            {"fields": {"tags": "Tags"}, "choices": {"tags": {"a": "A"}}},
            {},
            r"OddForm: declare the field 'tags' itself: a select has one value",
        ),
        ({"fields": ["payer"]}, {}, "OddForm.Meta.fields should be a mapping, not list"),
        (
            {"fields": {"payer": "Payer"}, "choices": {"payer": ["Ada"]}},
            {},
            r"OddForm.Meta.choices\['payer'\] should be a mapping, not list",
        ),
        (
            {"fields": {"method": "Method"}, "choices": {"method": {"giro": "Giro"}}},
            {},
            "OddForm: Meta.choices: 'giro' is no Method, of which 'method' is one",
        ),
        (
            {"fields": {"copies": "Copies"}, "choices": {"copies": {"1": "One"}}},
            {},
            "OddForm: Meta.choices: '1' is no int, of which 'copies' is one",
        ),
        (
            {"fields": {"method": "Method"}, "initial": {"method": "giro"}},
            {},
            "OddForm: Meta.initial: 'giro' is none of the choices of 'method'",
        ),
        (
            {"fields": {"copies": "Copies"}, "max_lengths": {"copies": 3}},
            {},
            "OddForm: Meta.max_lengths is for texts, and 'copies' is",
        ),
        (
            {"fields": {"payer": "Payer"}, "optional": ("payer",)},
            {"payer": forms.CharField()},
            "OddForm.Meta.optional has no effect on 'payer', a field that the form declares itself",
        ),
        ({}, {"payer": forms.CharField()}, "OddForm: give the field 'payer' a label, in Meta.fields"),
        (
            {"labels": {"payer": "Payer"}},
            {},
            r"OddForm.Meta has no option 'labels'; there are fields, optional, choices",
        ),
        (
            {"fields": {"payer": "Payer"}, "optional": ("amount",)},
            {},
            r"OddForm.Meta.optional names a field that Meta.fields does not: 'amount'; there are payer",
        ),
    ],
)
def test_a_wrong_form_is_told_when_its_class_is_made(
    meta: dict[str, Any], declared: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        make_form(meta, **declared)


def test_a_form_without_a_row_is_told_when_its_class_is_made() -> None:
    with pytest.raises(
        UsageError, match=r"name the row whose form it is, as in class OddForm\(BackendForm\[Client\]\)"
    ):
        type(BackendForm)("OddForm", (BackendForm,), {"payer": forms.CharField()})
