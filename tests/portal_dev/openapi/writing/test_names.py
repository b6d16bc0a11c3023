"""FreeNames of Python for names of the wire."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.query import Record, field
from portal_dev.openapi.writing.names import (
    FreeNames,
    attribute_name,
    class_name,
    member_name,
    plain_class_name,
    wire_name,
)


@pytest.mark.parametrize(
    ("wire", "attribute"),
    [
        ("createdAt", "created_at"),
        ("created_at", "created_at"),
        ("maxPowerKw", "max_power_kw"),
        ("HTTPStatus", "http_status"),
        ("statement-descriptor", "statement_descriptor"),
        ("x.y", "x_y"),
        ("@context", "context"),
        ("+1", "plus_1"),
        ("-1", "minus_1"),
        ("-createdAt", "created_at"),
        ("3d_secure", "number_3d_secure"),
        ("class", "class_"),
        ("from", "from_"),
        ("date", "date_"),
        ("str", "str_"),
        ("field", "field_"),
        ("partial", "partial_"),
        ("cls", "cls_"),
        ("self", "self_"),
        ("l", "l_"),
        ("type", "type"),
        ("match", "match"),
        ("Überweisung", "uberweisung"),
        ("日付", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_attributes(wire: str, attribute: str) -> None:
    assert attribute_name(wire) == attribute


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("issue-comment", "IssueComment"),
        ("checkout.session", "CheckoutSession"),
        ("charge", "Charge"),
        ("HTTPError", "HTTPError"),
        ("Page[Client]", "PageClient"),
        ("3ds", "Number3ds"),
        ("Warning", "WarningRecord"),
        ("Record", "RecordRecord"),
        ("日付", "Unnamed"),
    ],
)
def test_classes(schema: str, name: str) -> None:
    assert class_name(schema) == name


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("ConnectorEnum", "Connector"),
        ("ClientSerializer", "Client"),
        ("ClientResponse", "Client"),
        ("ClientOut", "Client"),
        ("Response", "Response"),
        ("LoginRequestRequest", "LoginReq"),
        ("RefreshTokenRequest", "RefreshTokenReq"),
        ("Request", "Request"),
        ("checkout.session", "CheckoutSession"),
        ("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "ObjectMeta"),
    ],
)
def test_what_frameworks_add_is_left_out(schema: str, name: str) -> None:
    assert plain_class_name(schema) == name


@pytest.mark.parametrize(
    ("value", "member"),
    [
        ("in_progress", "IN_PROGRESS"),
        ("off-topic", "OFF_TOPIC"),
        ("too heated", "TOO_HEATED"),
        ("type2", "TYPE2"),
        ("24h", "VALUE_24H"),
        ("", "BLANK"),
        ("日付", "OTHER"),
        ("None", "NONE"),
        ("I", "VALUE_I"),
    ],
)
def test_members(value: str, member: str) -> None:
    assert member_name(value) == member


def test_a_name_is_given_once() -> None:
    names = FreeNames({"id"})
    assert [names.unused(name) for name in ("id", "id", "name", "name", "A1", "A1", "BIG", "BIG")] == [
        *("id_2", "id_3", "name", "name_2", "A1", "A1_2", "BIG", "BIG_2"),
    ]
    assert names.unused("name", "name_") == "name_"


@given(st.text())
def test_every_name_is_one_of_python(text: str) -> None:
    for name in (attribute_name(text), class_name(text), member_name(text), plain_class_name(text)):
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")


@given(st.from_regex(r"[a-z][a-z0-9]*(_[a-z0-9]+)*_?", fullmatch=True))
def test_the_name_on_the_wire_is_that_of_records(attribute: str) -> None:
    if keyword.iskeyword(attribute):
        attribute += "_"
    record: type[Record] = type(Record)(
        "Made", (Record,), {"__annotations__": {attribute: str}, attribute: field(default="")}
    )
    assert record.__struct_encode_fields__ == (wire_name(attribute),)
