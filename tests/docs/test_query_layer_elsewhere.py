"""The how-to about the query layer in an existing project: its blocks run in a project that is not the portal's.

Nothing of the library's extras can be imported there.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from textwrap import dedent

import jwt
import pytest

from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT, run_program
from tests.support.python_requirements import base_alone
from tests.support.serving import Call, Reply, json_reply, serving

HOW_TO = ROOT / "docs" / "how-to" / "use-the-query-layer-in-a-project.md"
#: Two users on two connections; the first token of each has expired.
VISITS = """
import django, json
django.setup()
from types import SimpleNamespace
from django.contrib.sessions.backends.base import SessionBase
from shop.backend import client_of
from shop.orders import OrderMutations
from shop.views import orders

def visit(session, user):
    return json.loads(orders(SimpleNamespace(session=session, user=SimpleNamespace(pk=user))).content)["cities"]

ada, ben = SessionBase(), SessionBase()
for session, name, old in ((ada, "ada", sys.argv[1]), (ben, "ben", sys.argv[2])):
    session.update({"access": old, "refresh": f"refresh-{name}"})
seen = [visit(ada, 1), visit(ada, 1), visit(ben, 2), ada["access"]]
client, _ = client_of(ada, "1")
OrderMutations.use_create_order_mutation(client).mutate(body={"city": "Ulm"}).unwrap()
print(json.dumps([*seen, visit(ada, 1)]))
from django.core.management import execute_from_command_line
execute_from_command_line(["", "check"])
"""


def token(name: str, *, age: str) -> str:
    """An access token of a user; without a time at which it expires."""
    return jwt.encode({"sub": name, "age": age}, "a key of thirty-two bytes or more, no less")


def shop(calls: list[str], call: Call) -> Reply:
    """A backend with a list for each user, which wants a token that is not the first."""
    calls.append(f"{call.method} {call.path}")
    if call.path == "/refresh":
        name = call.data()["refreshToken"].removeprefix("refresh-")
        return json_reply(200, {"accessToken": token(name, age="new"), "refreshToken": f"next-{name}"})
    claims = jwt.decode(call.bearer, options={"verify_signature": False}) if call.bearer else {}
    if claims.get("age") != "new":
        return json_reply(401, {})
    if call.method == "POST":
        return json_reply(201, {"id": "2", "createdAt": "2026-01-02T00:00:00Z", **call.data()})
    row = {"id": "1", "city": f"of {claims['sub']}", "createdAt": "2026-01-01T00:00:00Z"}
    return json_reply(200, {"items": [row], "hasNext": False, "nextCursor": None})


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def address(calls: list[str]) -> Iterator[str]:
    with serving(partial(shop, calls)) as server:
        yield server.url


def test_reads_are_cached_by_user_tokens_are_refreshed_and_a_create_shows(
    tmp_path: Path, address: str, calls: list[str]
) -> None:
    run_program(sys.executable, "-m", "django", "startproject", "shop", tmp_path)
    for file, block in re.findall(
        r"In `(shop/\w+\.py)`:\n\n +```python\n(.*?)\n +```\n", HOW_TO.read_text(), re.DOTALL
    ):
        (tmp_path / file).write_text(dedent(f"{block}\n").replace("https://api.example.com", address))
    ours = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "store.sqlite3")}
    settings = tmp_path / "shop" / "settings.py"
    settings.write_text(f"{settings.read_text()}\nCACHES = { {'default': ours}!r}\n")
    old = [token(name, age="old") for name in ("ada", "ben")]
    variables = in_copy(ROOT, DJANGO_SETTINGS_MODULE="shop.settings")
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"
    done = run(tmp_path, "-W", "error", "-c", f"{base_alone()}{VISITS}", *old, variables=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    seen, checked = done.stdout.splitlines()
    assert checked == "System check identified no issues (0 silenced)."
    assert json.loads(seen) == [["of ada"], ["of ada"], ["of ben"], token("ada", age="new"), ["Ulm", "of ada"]]
    assert calls.count("GET /orders") == 4, "each user's first try with the expired token, and one more"
    assert calls.count("POST /refresh") == 2
