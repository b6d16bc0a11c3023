"""A schema that is broken in any way is read, or refused with a message; and what is read becomes Python."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from portal_dev.openapi import SchemaError, declarations, source_of

TRACKER = json.loads((Path(__file__).parent / "tracker_api.json").read_text())
#: What is put in a part's place.
VALUES = (
    *(None, True, 0, "", "x", [], {}, [1], {"$ref": "#/nope"}, {"$ref": 5}, {"$ref": "#/components/schemas/issue"}),
    *({"properties": {"": {}}}, {"enum": []}, {"enum": ['"\n', "__init__", "mro"]}, {"oneOf": []}, {"allOf": [True]}),
    *({"type": []}, {"type": ["null"]}, {"type": "object", "properties": {"class": {}, "self": {}, "a\nb": {}}}),
)
NAMES = ("class", "", "a b", '"', "x\ny", "__init__", "1", "$ref", "{", "type", "日付")


def places(part: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if place:
        yield place
    members = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, inside in members:
        yield from places(inside, (*place, name))


PLACES = list(places(TRACKER))


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from(PLACES), st.sampled_from(VALUES), st.sampled_from(NAMES), st.booleans()), max_size=4
    )
)
def test_a_changed_schema_is_read_or_refused(changes: list[tuple[tuple[Any, ...], Any, str, bool]]) -> None:
    schema = copy.deepcopy(TRACKER)
    for (*above, name), value, other_name, renames in changes:
        with contextlib.suppress(KeyError, IndexError, TypeError):
            part: Any = schema
            for each in above:
                part = part[each]
            if renames and isinstance(part, dict):
                part[other_name] = part.pop(name)
            else:
                part[name] = value
    with contextlib.suppress(SchemaError):
        for module in declarations(json.dumps(schema))[:1]:
            ast.parse(source_of(module))
