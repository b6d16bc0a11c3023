"""`manage.py services_from_openapi`: prints declarations, or writes them, and never over a file that is there."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.portal_dev.openapi.small_schemas import TEXT, answers, document, page, query, ref, takes
from tests.support.harness import clean_environment, run_program, with_own

PATHS = {
    "/shop/orders": {"get": answers(page(ref("Order")))},
    "/shop/orders/{id}": {"get": answers(ref("Order"))},
    "/shop/summary": {"get": answers(ref("Summary"))},
    "/files": {"post": {**takes(TEXT, media_type="text/plain"), **answers(None)}},
}
ORDER = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
SCHEMA = json.dumps(document(paths=PATHS, Order=ORDER, Summary={"properties": {"total": {"type": "integer"}}}))


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "schema.json"
    file.write_text(SCHEMA)
    return file


def printed(*arguments: str, **options: Any) -> tuple[str, str]:
    """Return the command's output and its warnings."""
    out, err = io.StringIO(), io.StringIO()
    call_command("services_from_openapi", *arguments, stdout=out, stderr=err, no_color=True, **options)
    return out.getvalue(), err.getvalue()


def refused(*arguments: str, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        printed(*arguments, **options)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_printed_module_is_the_written_one(schema: Path, tmp_path: Path) -> None:
    out, err = printed(str(schema), path="/shop/orders")
    assert out.startswith('"""Orders."""\n')
    assert err == ""
    told, _ = printed(str(schema), path="/shop/orders", output=tmp_path / "orders.py")
    assert told == f"{tmp_path / 'orders.py'}\n"
    assert (tmp_path / "orders.py").read_text() == out


def test_modules_are_printed_or_written_below_a_folder(schema: Path, tmp_path: Path) -> None:
    out, err = printed(str(schema))
    assert out.startswith('# --- shop/orders.py\n\n"""Orders."""\n')
    assert '\n# --- shop/summary.py\n\n"""Summary."""\n' in out
    assert err == "`POST /files`: its body or answer: it is text/plain, no JSON\n"
    folder = tmp_path / "services"
    told, _ = printed(str(schema), output=folder)
    files = [folder / "shop" / f"{name}.py" for name in ("__init__", "orders", "summary")]
    assert sorted(told.split()) == sorted(map(str, folder.rglob("*.py"))) == sorted(map(str, files))


def test_one_file_has_all_calls(schema: Path, tmp_path: Path) -> None:
    printed(str(schema), path="/shop", output=tmp_path / "shop.py")
    text = (tmp_path / "shop.py").read_text()
    assert "use_get_orders_query" in text
    assert "use_get_summary_query" in text


@pytest.mark.parametrize("backend", [None, "tests.support.snake_backend.SnakeBackend"])
def test_arrays_are_declared_as_the_class_sends_them(backend: str | None) -> None:
    kinds = {"explode": False, "schema": {"items": {"enum": ["a"]}}}
    forms = {"tags": {}, "states": {"explode": True}, "kinds": kinds, "ids": {"style": "pipeDelimited"}}
    arrays = [array | forms[array["name"]] for array in query(*forms, schema={"items": TEXT})]
    call = {"parameters": arrays, **answers(TEXT)}
    # The environment of nobody: `SECRET_KEY` and the addresses are missing.
    variables = with_own(clean_environment(DEBUG="off", APP_BACKEND=backend))
    command = (sys.executable, "manage.py", "services_from_openapi", "-")
    out = run_program(*command, env=variables, input=json.dumps(document(paths={"/shop": {"get": call}}))).stdout
    assert re.findall(r"(\w+): Values", out) == (["tags", "states"] if backend else ["kinds"])
    hint = f" without `repeats_values = {not backend}` in the class of APP_BACKEND"
    left_out = [f"{name}{hint}" for name in (["kinds"] if backend else ["tags", "states"])]
    told = out.replace("\n#   ", " ")
    assert re.findall(r"\n# `GET /shop`: hooks do not send the parameter (.*)", told) == [*left_out, "ids"]
    assert max(map(len, out.splitlines())) <= 120


def test_class_that_is_missing_stops_the_command(schema: Path) -> None:
    variables = with_own(clean_environment(DEBUG="off", APP_BACKEND="tests.support.snake_backend.Nope"))
    command = (sys.executable, "manage.py", "services_from_openapi", str(schema))
    ended = run_program(*command, env=variables, status=2)
    assert ended.stdout == ""
    assert ended.stderr.startswith("APP_BACKEND ")


def test_existing_file_is_kept(schema: Path, tmp_path: Path) -> None:
    folder = tmp_path / "services"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "summary.py").write_text("mine")
    told = refused(str(schema), output=folder)
    assert told == f"{folder / 'shop' / 'summary.py'}: there already; --force writes over it"
    assert [path.name for path in folder.rglob("*.py")] == ["summary.py"]
    printed(str(schema), output=folder, force=True)
    assert (folder / "shop" / "summary.py").read_text() != "mine"
    (folder / "shop" / "__init__.py").write_text("mine")
    printed(str(schema), output=folder, force=True)
    assert (folder / "shop" / "__init__.py").read_text() == "mine"


def test_fault_is_one_line(schema: Path, tmp_path: Path) -> None:
    assert refused("nowhere.yaml").startswith("nowhere.yaml: it can't be read: ")
    assert refused(str(schema), path="/files") == "none of these calls can be declared"
    (tmp_path / "taken").write_text("")
    told = refused(str(schema), output=tmp_path / "taken")
    assert told == f"{tmp_path / 'taken/shop/orders.py'}: it can't be written: Not a directory"


def test_path_without_calls_is_told(schema: Path) -> None:
    meant = "did you mean '/shop/orders'?"
    for path, hint in (("/bank", "look at its paths"), ("/shop/order", meant), ("shop/orders", meant)):
        told = f"nothing stands at {path} or below it; {hint}"
        assert refused(str(schema), path=path) == f"{schema}: #/paths: {told}"
