"""Records, partial bodies and parameters: what is refused where they are declared, and what they send."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from portal.errors import UsageError
from portal.query import ListParams, OpenEnum, Params, Partial, Record, Row, RowParams, field
from portal.rows import field_types, wire_body, wire_params


class Method(OpenEnum):
    TRANSFER = "transfer"


class Line(Record):
    unit_price: Decimal | None = None


class Tags(Record):
    names: list[str] = []


class Payment(Row):
    payer: str = ""
    amount: Decimal | None = None
    method: Method | None = None
    lines: tuple[Line, ...] = ()


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Payment(payer="Ada").payer = "Ben"  # type: ignore[misc]  what this test is about


@pytest.mark.parametrize(
    ("base", "fields", "words"),
    [
        (Row, {"payer": ...}, "Wrong: give payer a default, such as None"),
        (Record, {"paid_at": "", "paid_at_": ""}, 'paid_at and paid_at_ have one name on the wire, "paidAt": give one'),
        (Payment, {"paid_by": field(default="", name="payer")}, 'payer and paid_by have one name on the wire, "payer"'),
        (Row, {"tags": Tags()}, "all rows would share the default of tags"),
        (Row, {"partial": False}, "every record has a method partial"),
        (ListParams, {"status": "open"}, "give status the default None"),
        (ListParams, {"pages": 2}, "pages, cursor and params belong to the call"),
        (ListParams, {"params": None}, "pages, cursor and params belong to the call"),
    ],
)
def test_a_field_that_can_not_work_is_refused_when_the_class_is_made(base: Any, fields: Any, words: str) -> None:
    defaults = {name: default for name, default in fields.items() if default is not ...}
    with pytest.raises(UsageError, match=words):
        type(base)("Wrong", (base,), {"__annotations__": dict.fromkeys(fields, "str | None"), **defaults})


def test_a_type_that_is_not_there_at_run_time_is_told() -> None:
    class Wrong(Record):
        at: Missing | None = None  # type: ignore[name-defined]  # noqa: F821  what this test is about

    with pytest.raises(UsageError, match="import the type of a field at run time"):
        field_types(Wrong)


def test_a_partial_sends_the_given_fields_alone_by_their_names_on_the_wire() -> None:
    body = Payment.partial(
        amount=Decimal("9.90"),
        method=Method.TRANSFER,
        created_at=datetime(2026, 1, 31, tzinfo=UTC),
        lines=(Line(unit_price=Decimal("1.50")),),
    )
    assert wire_body(body, endpoint="e") == {
        "amount": "9.90",
        "method": "transfer",
        "createdAt": "2026-01-31T00:00:00Z",
        "lines": ({"unitPrice": "1.50"},),
    }
    assert wire_body(Payment.partial(amount=None), endpoint="e") == {"amount": None}
    assert isinstance(body, Partial)
    with pytest.raises(UsageError, match="Payment has no field payr; it has id, created_at, payer, amount"):
        Payment.partial(payr="Ada")  # type: ignore[call-arg]  what this test is about


def test_a_body_of_plain_values_may_hold_decimals_enumerations_and_sets_and_is_one_text_in_each_process() -> None:
    body = {"amount": Decimal("1.20"), "method": Method("giro"), "tags": {"b", "a", "c"}}
    assert wire_body(body, endpoint="e") == {"amount": "1.20", "method": "giro", "tags": ["a", "b", "c"]}
    with pytest.raises(UsageError, match="the body can't be written as JSON"):
        wire_body({"amount": object()}, endpoint="finance.create_payment")


def test_an_open_enumeration_keeps_a_value_that_it_does_not_know() -> None:
    giro = Method("giro")
    assert giro == str(giro) == "giro"
    assert (giro.is_known, Method.TRANSFER.is_known) == (False, True)
    assert Method("transfer") is Method.TRANSFER
    assert [*Method] == [Method.TRANSFER]
    with pytest.raises(ValueError, match="5 is not a valid Method"):
        Method(5)  # type: ignore[arg-type]  what this test is about


def test_parameters_have_their_names_on_the_wire() -> None:
    class SessionsParams(ListParams):
        client_id: str | None = None
        odd: int | None = field(default=None, name="odd-one")

    sent = {name: value for name, value in wire_params(SessionsParams(client_id="c1", odd=3)).items() if value}
    assert sent == {"clientId": "c1", "odd-one": 3, "pages": 1}
    assert wire_params(RowParams(id="x")) == {"id": "x"}
    assert issubclass(RowParams, Params)
