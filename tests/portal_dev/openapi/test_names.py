"""Names of the schema become names of Python."""

import keyword

from hypothesis import given
from hypothesis import strategies as st

from portal_dev.openapi.names import attribute_name, class_name, member_name, unused


def test_name_of_a_schema_becomes_one_of_python() -> None:
    wires = ("createdAt", "HTTPStatus", "3d_secure", "class", "partial", "Überweisung", "日付", "")
    assert [*map(attribute_name, wires)] == [
        *("created_at", "http_status", "number_3d_secure", "class_", "partial_", "uberweisung", "unnamed", "unnamed")
    ]
    assert [*map(class_name, ("Page[Client]", "3ds", "日付"))] == ["PageClient", "Number3ds", "Unnamed"]
    members = [*map(member_name, ("in_progress", "24h", "", "日付", "I"))]
    assert members == ["IN_PROGRESS", "VALUE_24H", "BLANK", "OTHER", "VALUE_I"]


def test_name_is_given_once() -> None:
    names = {"id"}
    assert [unused(name, names) for name in ("id", "id", "name", "name")] == ["id2", "id3", "name", "name2"]


@given(st.text())
def test_every_name_is_one_of_python(text: str) -> None:
    for name in (attribute_name(text), class_name(text), member_name(text)):
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name) or name in {"None", "True", "False"}
        assert not name.startswith("_")
