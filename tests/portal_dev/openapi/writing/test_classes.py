"""What the schemas of rows, bodies and answers become: classes, their docstrings and fields."""

from __future__ import annotations

from tests.portal_dev.openapi.small_schemas import TEXT, answers, page, ref, source, takes


def test_an_object_of_several_schemas_says_so() -> None:
    variants = {"A": {"properties": {"a": TEXT}}, "B": {"properties": {"b": {"type": "integer"}}}}
    text = source({"/x": {"get": answers({"oneOf": [ref("A"), ref("B")]})}}, **variants)
    assert '"""One of A, B, with the fields of all of them."""\n\n    a: str = ""\n    b: int | None = None\n' in text


def test_a_description_becomes_a_docstring_that_a_linter_accepts() -> None:
    described = {
        "type": "object",
        "description": 'This object represents a “gift” – for <b>you</b>, see [here](https://x.y/z), \\d and """.\n\nReturns:\n  nothing',
        "properties": {
            "a": {"type": "string", "description": "ID of it. More."},
            "b": {"enum": ["x", "y"], "description": "* `x` - X\n* `y` - Y"},
        },
    }
    text = source({"/x": {"get": answers(ref("Gift"))}}, Gift=described)
    assert 'r"""A "gift" – for you, see here, \\d and \'\'\'.\n\n    `a`: ID of it.\n    """' in text
    assert 'class GiftB(OpenEnum):\n    """A gift b."""' in text


def test_a_row_with_a_time_of_creation_by_another_name_has_it_as_its_own_field() -> None:
    row = {"type": "object", "properties": {"id": TEXT, "created_at": {"type": "string", "format": "date-time"}}}
    paths = {"/x": {"get": answers(page(ref("X")))}, "/x/{id}": {"get": answers(ref("X"))}}
    text = source(paths, X=row)
    assert 'class X(Row, rename="lower"):\n    """A x."""\n\n    created_at: datetime | None = None\n' in text
    assert '_xes = resource("/x", item=X, newest_first_by=None)' in text


def test_answers_that_say_the_same_without_a_name_are_one_class() -> None:
    wrapped = {"type": "object", "properties": {"thing": ref("Thing")}}
    paths = {"/things/{id}": {"get": answers(wrapped), "put": {**takes(wrapped), **answers(wrapped)}}}
    text = source(paths, Thing={"properties": {"name": TEXT}})
    assert text.count("data=ThingRes,") == 2
    assert "class ThingRes(Record):" in text
    assert "    thing: Thing | None = None\n" in text
    assert ".set_answer(query_key=ThingQueries.use_get_thing_query)" in text
