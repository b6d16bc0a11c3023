"""Any names and texts of a schema, and any broken part of it: what is written can be imported, or it is told."""

import ast
import contextlib
import copy
import importlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.query import REGISTRY
from portal_dev.openapi import SchemaError, classes, declarations, differences, source_of, view_source
from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, takes
from tests.support.harness import ROOT, run_program

HERE = Path(__file__).parent
#: A service as a person writes it. mypy knows the type of a row.
SHOP = """
from django.http import HttpRequest

from portal.query import QueryGroup, Row, resource


class Order(Row):
    city: str = ""


_orders = resource("/orders", item=Order)


class OrderQueries(QueryGroup):
    use_get_orders_query = _orders.list
    use_get_order_query = _orders.detail


def cities(request: HttpRequest) -> list[str]:
    reveal_type(OrderQueries.use_get_order_query(request, id="1").unwrap())
    return [order.city for order in OrderQueries.use_get_orders_query(request).unwrap().items]


def wrong(request: HttpRequest) -> int:
    return OrderQueries.use_get_order_query(request, id="1").unwrap().city
"""
TRACKER = json.loads((HERE / "tracker_api.json").read_text())
#: What is put in a part's place.
VALUES: tuple[Any, ...] = (
    *(None, True, 0, "", "x", [], {}, [1], {"$ref": "#/nope"}, {"$ref": 5}, {"$ref": "#/components/schemas/issue"}),
    *({"properties": {"": {}}}, {"enum": []}, {"enum": ['"\n', "__init__", "mro"]}, {"oneOf": []}, {"allOf": [True]}),
    *({"type": []}, {"type": ["null"]}, {"type": "object", "properties": {"class": {}, "self": {}, "a\nb": {}}}),
)
NAMES = ("class", "", "a b", '"', "x\ny", "__init__", "1", "$ref", "{", "type", "日付")
#: Half of a surrogate pair is no text; a list of such values is any JSON.
HALF = "\ud800"
TEXTS = (
    *("x" * 500, "https://example.com/" + "x" * 200, '"', '"""', "\\", "this", '"Cash" or "card".', "mro", "name"),
    *("Don\u2019t know", "\U0001d4b3", "日本", "a\x00\r\u2028b", "a\nb", HALF, '"""\nimport os\n"""', "{{ doc }}"),
)


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
def test_changed_schema_is_read_or_refused(changes: list[tuple[tuple[Any, ...], Any, str, bool]]) -> None:
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
    # As it is before ruff, which would refuse what is no Python, as a schema is refused.
    with contextlib.suppress(SchemaError, RecursionError), pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            classes.subprocess, "run", lambda command, **given: CompletedProcess(command, 0, stdout=given["input"])
        )
        for module in declarations(json.dumps(schema))[:1]:
            ast.parse(source_of(module))


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """Writes a schema's declarations, and imports them; gives their differences from it."""
    for name in ("queries", "mutations", "duplicates"):
        monkeypatch.setattr(REGISTRY, name, copy.copy(getattr(REGISTRY, name)))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.syspath_prepend(str(tmp_path))

    def write_and_import(schema: Path) -> list[str]:
        folder = tmp_path / "odd_services"
        call_command("services_from_openapi", str(schema), output=folder, stdout=io.StringIO(), stderr=io.StringIO())
        for file in sorted(folder.rglob("*.py")):
            importlib.import_module(".".join(file.relative_to(tmp_path).with_suffix("").parts))
        hooks = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
        hooks = [hook for hook in hooks if hook.hook_name.startswith("odd_services.")]
        assert hooks
        return [each.message for each in differences(schema.read_text(), hooks) if not each.is_absent]

    return write_and_import


def test_any_text_stands_in_a_module(imported: Callable[[Path], list[str]], tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        f"state{number}": {"enum": ["open", text]} for number, text in enumerate(TEXTS) if text != HALF
    }
    fields |= dict.fromkeys((*TEXTS, "", "class", "Class", "class_", "partial", "id"), TEXT)
    row = {"type": "object", "properties": {"id": TEXT, **fields}}
    body = {**takes(ref("Order")), **answers(ref("Order"))}
    paths: dict[str, Any] = {
        "/orders": {
            "get": {"parameters": query("cursor", "limit", *TEXTS), **answers(page(ref("Order")))},
            "post": body,
            "put": body,
        },
        "/orders/{a.b}": {"get": answers(ref("Order")), "patch": body},
        **{f"/a/{text[:90]}/{{{text}}}": {"get": answers(ref("Order"))} for text in TEXTS},
    }
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(document(paths=paths, Order=row)))
    assert imported(schema) == []
    module = sys.modules["odd_services.orders.orders"]
    values = [list(getattr(module, f"OrderState{number}")) for number in range(len(TEXTS)) if TEXTS[number] != HALF]
    assert values == [["open", text] for text in TEXTS if text != HALF]
    [orders, *_] = declarations(schema.read_text(), below="/orders")
    ast.parse(view_source(orders))


def test_schema_like_a_public_api_becomes_a_package(imported: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """`tracker_api.json` is after issue trackers, odd parts included."""
    found = imported(HERE / "tracker_api.json")
    assert found == ["Team.createdAt: it is text here, and integer in the schema"]
    for options in (("check", "--ignore", "INP001,S105"), ("format", "--check")):
        # A person writes why a value is no secret.
        config = ("--no-cache", "--config", ROOT / "pyproject.toml")
        run_program(sys.executable, "-m", "ruff", *options, *config, "odd_services", cwd=tmp_path)
    # Another project than this checkout: `py.typed` says that the portal has types.
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\nexplicit_package_bases = true\n")
    command = (sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", "shop.py", "odd_services")
    checked = run_program(*command, status=1, cwd=tmp_path, env={"PATH": "", "HOME": str(tmp_path)})
    assert checked.stdout.splitlines() == [
        'shop.py:20: note: Revealed type is "shop.Order"',
        'shop.py:25: error: Incompatible return value type (got "str", expected "int")  [return-value]',
    ]
