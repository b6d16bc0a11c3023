"""The client form checks what the backend checks."""

from __future__ import annotations

import pytest

from apps.energy.views.clients import ClientForm

VALID = {"name": "Ada", "email": "ada@example.com", "phone": "+49 30 901820", "city": "Oslo"}


def test_a_client_is_sent_with_the_fields_of_the_wire_and_null_for_what_is_empty() -> None:
    whole, short = ClientForm(VALID), ClientForm({"name": " Ada ", "email": "ada@example.com"})
    assert whole.is_valid()
    assert short.is_valid()
    assert whole.body().to_wire() == VALID
    assert short.body().to_wire() == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": None}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("name", ["", "   ", "x" * 201, "a\x00b"]),
        ("email", ["", "no address", f"{'x' * 250}@example.com"]),
        ("phone", ["call me", "123"]),
        ("city", ["x" * 101, "two\u2028lines"]),
    ],
)
def test_a_field_that_is_not_valid_is_named_alone(field: str, values: list[str]) -> None:
    for value in values:
        assert set(ClientForm(VALID | {field: value}).errors) == {field}, value
    assert ClientForm(VALID | {"name": "x" * 200}).is_valid()
