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


class Payment(Row):
    payer: str = ""
    amount: Decimal | None = None
    method: Method | None = None
    lines: tuple[Line, ...] = ()


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Payment(payer="Ada").payer = "Ben"  # type: ignore[misc]  what this test is about


def test_a_field_without_a_default_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(UsageError, match="Wrong: give payer a default, such as None"):

        class Wrong(Row):
            payer: str


def test_two_fields_with_one_name_on_the_wire_are_both_named() -> None:
    with pytest.raises(
        UsageError, match='Wrong: paid_at and paid_at_ have one name on the wire, "paidAt": give one of'
    ):

        class Wrong(Record):
            paid_at: str = ""
            paid_at_: str = ""


def test_a_field_whose_name_on_the_wire_is_inherited_is_named_with_the_other_one() -> None:
    with pytest.raises(UsageError, match='Wrong: payer and paid_by have one name on the wire, "payer"'):

        class Wrong(Payment):
            paid_by: str = field(default="", name="payer")


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


def test_a_partial_refuses_a_name_that_is_no_field() -> None:
    with pytest.raises(UsageError, match="Payment has no field payr; it has id, created_at, payer, amount"):
        Payment.partial(payr="Ada")  # type: ignore[call-arg]  what this test is about


def test_a_body_of_plain_values_may_hold_decimals_times_and_enumerations() -> None:
    assert wire_body({"amount": Decimal("1.20"), "method": Method("giro")}, endpoint="e") == {
        "amount": "1.20",
        "method": "giro",
    }


def test_a_body_that_is_no_json_is_told_with_its_endpoint() -> None:
    with pytest.raises(UsageError, match="the body can't be written as JSON"):
        wire_body({"amount": object()}, endpoint="finance.create_payment")


def test_a_type_that_is_not_there_at_run_time_is_told() -> None:
    class Wrong(Record):
        at: Missing | None = None  # type: ignore[name-defined]  # noqa: F821  what this test is about

    with pytest.raises(UsageError, match="import the type of a field at run time"):
        field_types(Wrong)


def test_an_open_enumeration_keeps_a_value_that_it_does_not_know() -> None:
    giro = Method("giro")
    assert giro == "giro"
    assert str(giro) == "giro"
    assert not giro.is_known
    assert Method("transfer") is Method.TRANSFER
    assert Method.TRANSFER.is_known
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


def test_a_default_that_all_rows_would_share_is_refused() -> None:
    class Tags(Record):
        names: list[str] = []

    with pytest.raises(UsageError, match="all rows would share the default of tags"):

        class Wrong(Row):
            tags: Tags = Tags()


def test_a_field_may_not_hide_the_method_partial() -> None:
    with pytest.raises(UsageError, match="every record has a method partial"):

        class Wrong(Row):
            partial: bool = False  # type: ignore[assignment]  what this test is about


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "open"}, "give status the default None"),
        ({"pages": 2}, "pages, cursor and params belong to the call"),
        ({"params": None}, "pages, cursor and params belong to the call"),
    ],
)
def test_parameters_that_no_call_would_send_are_refused(fields: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        type("Wrong", (ListParams,), {"__annotations__": dict.fromkeys(fields, "str | None"), **fields})


def test_a_body_is_the_same_text_in_each_process() -> None:
    assert wire_body({"tags": {"b", "a", "c"}}, endpoint="e") == {"tags": ["a", "b", "c"]}
