"""Each saved file restarts the servers that run it; the servers are pretended."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from portal.config.projects import PROJECTS
from portal_dev.local_servers.local_stack import BACKEND, LocalStack
from portal_dev.local_servers.reloader import Reloader
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import ROOT

APPS = [project.app for project in PROJECTS]
WEB = "packages/portal/web/templates/portal"


class Group(ServerGroup):
    """Servers that were never started. One has ended."""

    def restart(self, servers: Sequence[Server]) -> None:
        pass

    def take_ended(self) -> dict[str, int]:
        return {"finance": 1}


@pytest.mark.parametrize(
    ("file", "servers"),
    [
        ("apps/finance/views/overview.py", ["finance"]),
        ("packages/sandbox_api/health.py", [BACKEND]),
        ("packages/portal/services/finance/invoices.py", APPS),
        ("packages/portal_gateway/locale/de/LC_MESSAGES/django.po", APPS),
        (f"{WEB}/icons/logo.svg", APPS),
        (f"{WEB}/macros.html", APPS),
    ],
)
def test_saved_file_restarts_the_servers_that_run_it(file: str, servers: list[str], tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / WEB).mkdir(parents=True, exist_ok=True)
    stack = LocalStack(port_base=8000, environment={}).servers()
    elsewhere = [
        dataclasses.replace(server, code=tuple(tmp_path / folder.relative_to(ROOT) for folder in server.code))
        for server in stack
    ]
    said: list[str] = []
    reloader = Reloader(elsewhere, say=said.append)
    (tmp_path / WEB / "shell.html").write_text("A template is read for each page.")
    (tmp_path / file).write_text("")
    for _ in range(100):  # each waits a fifth of a second at most
        reloader.follow(Group())
        if "changed" in said[-2:][0]:
            break
    name, ended = Path(file).name, "finance has ended with status 1; the next change of its code starts it again"
    assert said[-2:] == [f"{name} changed: restarting {', '.join(servers)}", ended]
    assert {*said[:-2]} <= {ended}
