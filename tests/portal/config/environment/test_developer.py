"""What a developer's machine adds to the environment, and that a deployment gets none of it."""

import os
from pathlib import Path

import pytest

from portal.config.environment.reader import MARKER, SET_BY_DEPLOYMENTS, complete_environment

NAMES = ("DEBUG", "PORT_BASE", "SANDBOX_ACCESS_TOKEN_LIFETIME_S", *SET_BY_DEPLOYMENTS)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set first, so that what the test adds is taken away after it.
    for name in NAMES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One whose environment `make run` or `make install` has built."""
    (tmp_path / MARKER).parent.mkdir()
    (tmp_path / MARKER).touch()
    return tmp_path


def completed(checkout: Path) -> dict[str, str]:
    complete_environment(checkout)
    return {name: os.environ[name] for name in NAMES if name in os.environ}


def test_a_developers_machine_is_in_debug_without_a_word_and_a_server_is_not(checkout: Path) -> None:
    assert completed(checkout) == {"DEBUG": "on"}
    (checkout / MARKER).unlink()
    del os.environ["DEBUG"]
    assert completed(checkout) == {}


@pytest.mark.parametrize("name", SET_BY_DEPLOYMENTS)
@pytest.mark.parametrize("is_in_the_file", [False, True])
def test_one_variable_of_a_deployment_is_enough_to_stay_out_of_debug(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_in_the_file: bool
) -> None:
    if is_in_the_file:
        (checkout / ".env").write_text(f"{name}=https://api.example.com\n")
    else:
        monkeypatch.setenv(name, "https://api.example.com")
    assert "DEBUG" not in completed(checkout)


def test_environment_wins_over_the_file(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", "off")
    monkeypatch.setenv("PORT_BASE", "")
    (checkout / ".env").write_text("DEBUG=on\nPORT_BASE=9200\nSANDBOX_ACCESS_TOKEN_LIFETIME_S=20\n")
    first = {"DEBUG": "off", "PORT_BASE": "", "SANDBOX_ACCESS_TOKEN_LIFETIME_S": "20"}
    assert completed(checkout) == first
    (checkout / ".env").write_text("PORT_BASE=9300\nSANDBOX_ACCESS_TOKEN_LIFETIME_S=30\n")
    assert completed(checkout) == first
