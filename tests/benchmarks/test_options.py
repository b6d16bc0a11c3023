"""Options that benchmarks share: a short run, and a table that is written."""

import signal
import sys
from collections.abc import Iterator

import pytest

from benchmarks.harness import options as bench_options
from benchmarks.harness.options import SKIPPED, need, options_of, parser_of
from benchmarks.harness.stores import stores_here
from benchmarks.harness.targets import Targets


@pytest.fixture(autouse=True)
def _handler_of_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def options(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[bool, int]:
    monkeypatch.setattr(sys, "argv", ["pages", *words])
    parser = parser_of("Something.", writes=True)
    parser.add_argument("--rounds", type=int, default=30)
    found = options_of(parser, rounds=1)
    return found.smoke, found.rounds


def test_short_run_has_short_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert options(monkeypatch) == (False, 30)
    assert options(monkeypatch, "--smoke") == (True, 1)
    assert options(monkeypatch, "--rounds", "2", "--smoke") == (True, 2)


def test_short_run_or_uncommitted_code_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        options(monkeypatch, "--smoke", "--write")
    assert "a short run has no figures to write" in capsys.readouterr().err
    monkeypatch.setattr(bench_options, "uncommitted_code", lambda: " M apps/energy/urls.py")
    with pytest.raises(SystemExit):
        options(monkeypatch, "--write")
    assert "M apps/energy/urls.py" in capsys.readouterr().err
    monkeypatch.setattr(bench_options, "uncommitted_code", lambda: "")
    assert options(monkeypatch, "--write") == (False, 30)


def test_missing_program_skips_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        need("no-such-program", "no-such-other-name")
    assert end.value.code == SKIPPED
    assert capsys.readouterr().out == "skipped: no-such-program or no-such-other-name is not on this machine\n"
    monkeypatch.setattr("benchmarks.harness.stores.found_tool", lambda *_: None)
    assert stores_here(["embedded", "redis"]) == ["embedded"]
    assert capsys.readouterr().out == "skipped: Redis: redis-server is not on this machine\n"
    with pytest.raises(SystemExit) as end:
        stores_here(["redis"])
    assert end.value.code == SKIPPED


def test_missed_target_fails_a_whole_run_alone(capsys: pytest.CaptureFixture[str]) -> None:
    short = Targets(smoke=True)
    short.hold("7 times", "under 6", met=False)
    short.end()
    assert capsys.readouterr().out == "MISSED 7 times (target: under 6)\n"
    targets = Targets(smoke=False)
    targets.hold("5 times", "under 6", met=True)
    targets.tell("480 requests/s")
    targets.end()
    assert targets.rows == [("5 times", "under 6"), ("480 requests/s", "")]
    targets.hold("7 times", "under 6", met=False)
    with pytest.raises(SystemExit) as end:
        targets.end()
    assert end.value.code == 1
