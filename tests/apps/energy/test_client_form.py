"""The client form checks what the backend checks."""

from __future__ import annotations

import pytest

from apps.energy.views.clients import ClientForm
from portal.services.energy.clients import Client

VALID = {"name": "Ada", "email": "ada@example.com", "phone": "+49 30 901820", "city": "Oslo"}


def test_a_valid_client_is_sent_with_the_fields_of_the_wire() -> None:
    form = ClientForm(VALID)
    assert form.is_valid()
    assert form.body() == Client.partial(**VALID)
    assert form.body().to_wire() == VALID


def test_what_is_optional_may_be_empty_and_is_sent_as_null() -> None:
    form = ClientForm({"name": " Ada ", "email": "ada@example.com"})
    assert form.is_valid()
    assert form.body().to_wire() == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": None}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", "x" * 201),
        ("name", "a\x00b"),
        ("email", ""),
        ("email", "no address"),
        ("email", f"{'x' * 250}@example.com"),
        ("phone", "call me"),
        ("phone", "123"),
        ("city", "x" * 101),
        ("city", "two\u2028lines"),
    ],
)
def test_a_field_that_is_not_valid_is_named_alone(field: str, value: str) -> None:
    form = ClientForm(VALID | {field: value})
    assert not form.is_valid()
    assert set(form.errors) == {field}


@pytest.mark.parametrize("name", ["x" * 200, "<script>alert(1)</script>", "Çağla Öğüt", "💡"])
def test_names_of_all_kinds_are_fine(name: str) -> None:
    assert ClientForm(VALID | {"name": name}).is_valid()
