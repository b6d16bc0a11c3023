"""`shell --account` gives a client that hooks take, signed in at the sandbox; nowhere else than in DEBUG."""

from collections.abc import Iterator

import pytest

from portal.config.projects import PROJECTS
from tests.support.command_line import run_command
from tests.support.harness import RunningStack, running_stack

PROGRAM = (
    "page = ClientQueries.use_get_clients_query(client).unwrap()\n"
    "print([client.name for client in page.items][:1], UserQueries.__name__, 'InvoiceQueries' in globals())"
)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The backend alone."""
    with running_stack(tmp_path_factory.mktemp("shell"), without=tuple(each.app for each in PROJECTS)) as stack:
        yield stack


def test_the_hooks_of_the_app_are_there_and_take_the_client(sandbox: RunningStack) -> None:
    words = ("-v", "0", "--account", "energy@example.com", "-c", PROGRAM)
    done = run_command("shell", *words, app="energy", status=0, **sandbox.variables)
    assert done.out.startswith("['")
    assert done.out.endswith("] UserQueries False\n")


def test_an_account_that_is_not_signed_in_is_told_with_its_backend(sandbox: RunningStack) -> None:
    done = run_command("shell", "--account", "nobody@example.com", "-c", "client", app="energy", **sandbox.variables)
    assert done.status == 1
    assert f"nobody@example.com is not signed in at {sandbox.backend}: " in done.err
    assert "Traceback" not in done.err


def test_outside_of_debug_nobody_is_signed_in(sandbox: RunningStack) -> None:
    given = sandbox.variables | {
        "DEBUG": "off",
        "SECRET_KEY": "a long random text for this test of the shell alone, 64 characters",
        "ALLOWED_HOSTS": "localhost",
        "APP_PUBLIC_API_BASE_URL": sandbox.backend,
        "APP_PUBLIC_GATEWAY_APP_URL": "http://localhost:8000",
    }
    done = run_command("shell", "--account", "energy@example.com", "-c", "client", app="energy", **given)
    assert done.status == 2
    assert "unrecognized arguments: --account" in done.err, "it is Django's own command"
