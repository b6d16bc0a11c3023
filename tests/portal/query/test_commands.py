"""The commands of the query layer, on the embedded store."""

from __future__ import annotations

import io
import os
import pty
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command

from portal.services.energy.stations import StationQueries
from portal.store import query_store
from tests.portal.query.fakes import Process, World
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper


@pytest.fixture(autouse=True)
def store(settings: SettingsWrapper, tmp_path: Path) -> None:
    """An embedded store of the test's own."""
    settings.CACHES = {
        "default": {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "s" / "queries.sqlite3")},
        "refresh": {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "s" / "refresh.sqlite3")},
    }


@pytest.fixture
def world() -> World:
    made = World(store=query_store())
    made.backend.rows = [{"id": "c1", "name": "client"}]
    made.backend.open_paths = {"/energy/stations": {"items": [], "hasNext": False}}
    return made


@pytest.fixture
def reads(world: World, process: Process) -> object:
    """Reads two lists as two users; gives how many calls that took."""
    users = [world.backend.sign_in("ada"), world.backend.sign_in("ben")]

    def read() -> dict[str, int]:
        world.backend.calls.clear()
        for tokens in users:
            client = process.request(tokens)
            assert ClientQueries.use_get_clients_query(client).error is None
            assert StationQueries.use_get_stations_query(client).error is None
        return {path: count for (_, path), count in world.backend.counted().items() if path != "/me"}

    return read


def run(name: str, *words: str) -> str:
    out = io.StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


def test_clearing_all(reads) -> None:
    reads()
    assert reads() == {}
    assert "all users and endpoints" in run("clear_query_cache")
    assert reads() == {"/energy/clients": 2, "/energy/stations": 2}
    assert reads() == {}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Standard input is a terminal; types a line at it."""
    keyboard, screen = pty.openpty()
    with os.fdopen(screen) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)

        def type_line(line: str) -> None:
            os.write(keyboard, f"{line}\n".encode())

        yield type_line
    os.close(keyboard)


@pytest.mark.parametrize("answer", ["no", "", "y"])
def test_at_a_terminal_nothing_is_cleared_without_a_yes(
    reads, terminal: Callable[[str], None], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reads()
    terminal(answer)
    with pytest.raises(SystemExit) as ended:
        run("clear_query_cache")
    assert ended.value.code == 1
    assert "all users and endpoints?" in capsys.readouterr().err
    assert reads() == {}


def test_at_a_terminal_a_yes_clears_all(reads, terminal: Callable[[str], None]) -> None:
    reads()
    terminal("yes")
    assert "all users and endpoints" in run("clear_query_cache")
    assert reads() == {"/energy/clients": 2, "/energy/stations": 2}


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("words", [["--no-input"], ["--noinput"], ["--user", "ada"]])
def test_at_a_terminal_no_question_comes_for_a_part_or_with_no_input(reads, words: list[str]) -> None:
    reads()
    assert "cleared what was cached" in run("clear_query_cache", *words)
    assert reads() != {}


def test_clearing_one_endpoint(reads) -> None:
    reads()
    assert "energy.get_clients" in run("clear_query_cache", "--endpoint", "energy.get_clients")
    assert reads() == {"/energy/clients": 2}
    assert reads() == {}


def test_clearing_one_user(reads) -> None:
    reads()
    assert "user ada" in run("clear_query_cache", "--user", "ada")
    assert reads() == {"/energy/clients": 1, "/energy/stations": 1}


def test_an_endpoint_that_is_none_is_refused() -> None:
    with pytest.raises(CommandError, match="list_endpoints prints them all"):
        run("clear_query_cache", "--endpoint", "energy.get_cleints")


def test_one_or_the_other() -> None:
    with pytest.raises(CommandError, match="not allowed with"):
        run("clear_query_cache", "--endpoint", "energy.get_clients", "--user", "ada")


def test_a_store_that_cant_be_read_is_one_line(settings: SettingsWrapper) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
            "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
        }
    }
    for words in (["clear_query_cache"], ["clear_query_cache", "--user", "ada"]):
        with pytest.raises(CommandError, match="store"):
            run(*words)


def test_all_endpoints_are_listed() -> None:
    lines = run("list_endpoints").splitlines()
    assert lines[0].split() == ["METHOD", "PATH", "KEY", "HOOK"]
    assert [
        "PATCH",
        "/energy/clients/{id}",
        "energy.update_client",
        "energy.clients.ClientMutations.use_update_client_mutation",
    ] in [line.split() for line in lines]
