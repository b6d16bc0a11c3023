"""The exit status of commands where the configuration can't be read."""

import pytest

from tests.support.command_line import run_command


@pytest.mark.parametrize("command", ["decode_token", "check"])
def test_unreadable_configuration_is_status_2(command: str) -> None:
    ended = run_command(command, DEBUG="off")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "energy: SECRET_KEY is missing: it should be a long random text\n"
