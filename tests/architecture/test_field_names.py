"""Names of the backend stand in one place each: what all resources share in the contract, a resource's own with it.

The types know the fields of a `TypedDict`; they do not know what a presenter reads, or a form sends, by name.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import is_typeddict

import pytest

import portal.services
import portal.web.present.records
from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.query import Record
from portal.query.rows import field_types
from portal.web.pages import BackendForm

ROOT = Path(__file__).resolve().parents[2]
PRESENTERS = sorted(path for path in ROOT.glob("apps/*/presenters/*.py") if path.name != "__init__.py")
FORMS = sorted(ROOT.glob("apps/*/forms.py"))
READERS = {
    name
    for name, value in vars(portal.web.present.records).items()
    if getattr(value, "__module__", "") == portal.web.present.records.__name__
}


def declared_fields() -> set[str]:
    """Members of all types that the services declare."""
    modules = [
        importlib.import_module(m.name) for m in pkgutil.walk_packages(portal.services.__path__, "portal.services.")
    ]
    types = [kind for module in modules for kind in vars(module).values() if is_typeddict(kind)]
    records = [kind for module in modules for kind in vars(module).values() if _is_record(kind)]
    return {name for kind in types for name in kind.__annotations__} | {n for r in records for n in field_types(r)}


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def fields_read(path: Path) -> Iterator[str]:
    """What a module reads of records by a literal name: `text["city"]`, `number_of(record, "cost")`, `record.get("id")`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Subscript)
            and ast.unparse(node.value) == "text"
            and isinstance(node.slice, ast.Constant)
        ):
            yield node.slice.value
        if not isinstance(node, ast.Call):
            continue
        function, names = node.func, node.args
        if isinstance(function, ast.Name) and function.id in READERS:
            yield from (name.value for name in names[1:2] if isinstance(name, ast.Constant))
        elif isinstance(function, ast.Attribute) and function.attr == "get":
            yield from (name.value for name in names[:1] if isinstance(name, ast.Constant))


def test_presenters_read_fields_that_are_seen_here() -> None:
    assert {"text_of", "integer_of", "number_of", "decimal_of", "datetime_of", "objects_of", "counts_of"} <= READERS
    assert len({name for path in PRESENTERS for name in fields_read(path)}) > 30


@pytest.mark.parametrize("path", PRESENTERS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_presenter_reads_what_a_service_declares(path: Path) -> None:
    read = set(fields_read(path))
    assert read <= declared_fields(), "declare the field with its resource, in portal.services"
    assert not read & {ID_FIELD, CREATED_AT_FIELD}, (
        "all resources share this name: take it from portal.config.wire_names"
    )


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.parts[-2])
def test_a_form_sends_what_a_service_declares(path: Path) -> None:
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    forms = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, BackendForm)]
    assert {name for form in forms for name in form.base_fields} <= declared_fields()
