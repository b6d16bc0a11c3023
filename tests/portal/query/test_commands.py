"""The commands of the query layer, on the embedded store."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal.services.energy.stations import StationQueries
from portal.store import query_store
from tests.portal.query.clients import listed
from tests.portal.query.world import User, World
from tests.support.given_store import stores_on


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """On an embedded store of the test's own."""
    with stores_on("", state_dir=tmp_path):
        made = World(store=query_store())
        made.backend.rows = [{"id": "c1", "name": "client"}]
        made.backend.open_paths = {"/energy/stations": {"items": [], "hasNext": False}}
        yield made


@pytest.fixture
def reads(ada: User) -> Callable[[], dict[str, int]]:
    """Reads two lists as two users, which are cached by now; gives how many calls that took."""
    users = [ada, ada.signed_in("ben")]

    def read() -> dict[str, int]:
        ada.backend.calls.clear()
        for user in users:
            listed(user)
            assert StationQueries.use_get_stations_query(user.request()).error is None
        return {path.rpartition("/")[2]: count for (_, path), count in ada.backend.counted().items() if path != "/me"}

    read()
    assert read() == {}
    return read


class Terminal(io.StringIO):
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


def run(name: str, *words: str) -> str:
    out = io.StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("words", "told", "fetched"),
    [
        *((words, "all users and endpoints", {"clients": 2, "stations": 2}) for words in ([], ["--no-input"])),
        (["--endpoint", "energy.get_clients"], "energy.get_clients", {"clients": 2}),
    ],
)
def test_what_is_cleared_is_fetched_again(
    reads, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str, fetched: dict[str, int]
) -> None:
    """No question comes where nobody types, for a part, and where none is wanted."""
    monkeypatch.setattr("sys.stdin", Terminal() if words else io.StringIO())
    assert told in run("clear_query_cache", *words)
    assert reads() == fetched
    assert reads() == {}


@pytest.mark.parametrize("answer", ["no", "", "y", "yes"])
def test_at_a_terminal_nothing_is_cleared_without_a_yes(
    reads, monkeypatch: pytest.MonkeyPatch, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    if answer == "yes":
        assert "all users and endpoints" in run("clear_query_cache")
    else:
        with pytest.raises(SystemExit) as ended:
            run("clear_query_cache")
        assert ended.value.code == 1
    assert "all users and endpoints?" in capsys.readouterr().err
    assert bool(reads()) is (answer == "yes")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--endpoint", "energy.get_cleints"], "list_endpoints prints them all"),
        ([], "store"),
    ],
)
def test_what_can_not_be_cleared_is_one_line(words: list[str], told: str) -> None:
    """Nor what lies in a store that can't be read."""
    with stores_on("redis://127.0.0.1:1/0"), pytest.raises(CommandError, match=told):
        run("clear_query_cache", *words)


def test_all_endpoints_are_listed() -> None:
    lines = [line.split() for line in run("list_endpoints").splitlines()]
    assert lines[0] == ["METHOD", "PATH", "KEY", "HOOK"]
    hook = "energy.clients.ClientMutations.use_update_client_mutation"
    assert ["PATCH", "/energy/clients/{id}", "energy.update_client", hook] in lines
