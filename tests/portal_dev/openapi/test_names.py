"""Names of the schema become names of Python."""

from __future__ import annotations

import keyword
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal_dev.openapi.names import FreeNames, attribute_name, class_name, member_name

NAMES = {
    attribute_name: {
        "createdAt": "created_at",
        "HTTPStatus": "http_status",
        "3d_secure": "number_3d_secure",
        "class": "class_",
        "partial": "partial_",
        "date": "date_",
        "Überweisung": "uberweisung",
        "日付": "unnamed",
        "": "unnamed",
    },
    # What frameworks add is left out.
    class_name: {
        "Page[Client]": "PageClient",
        "3ds": "Number3ds",
        "日付": "UnnamedRecord",
        "Warning": "WarningRecord",
        "Row": "RowRecord",
        "ConnectorEnum": "Connector",
        "ClientSerializer": "Client",
        "LoginRequestRequest": "LoginReq",
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": "ObjectMeta",
    },
    member_name: {"in_progress": "IN_PROGRESS", "24h": "VALUE_24H", "": "BLANK", "日付": "OTHER", "I": "VALUE_I"},
}


@pytest.mark.parametrize("made", NAMES, ids=lambda made: made.__name__)
def test_name_of_a_schema_becomes_one_of_python(made: Callable[[str], str]) -> None:
    assert {wire: made(wire) for wire in NAMES[made]} == NAMES[made]


def test_name_is_given_once() -> None:
    names = FreeNames({"id"})
    assert [names.unused(name) for name in ("id", "id", "name", "name")] == ["id_2", "id_3", "name", "name_2"]
    assert names.unused("name", "name_") == "name_"


@given(st.text())
def test_every_name_is_one_of_python(text: str) -> None:
    for name in (attribute_name(text), class_name(text), member_name(text)):
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")
