"""What `serve` keeps for the next starts depends on all that it is made from."""

import socket
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from portal.config.current import portal_config
from portal_operate.management.commands import serve
from tests.functional.test_serve import environment
from tests.support.command_line import run_command
from tests.support.harness import ROOT
from tests.support.ports import free_port


def test_the_release_of_what_is_kept_has_the_code_that_compiles_the_templates_and_all_that_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(portal_config(), debug=False, static_root=tmp_path, compiled_templates_dir=tmp_path)
    asked = []

    def release_of(folders: Iterable[Path], *more: object) -> bytes:
        asked.append((set(folders), repr(more)))
        return b""

    monkeypatch.setattr(serve, "portal_config", lambda: config)
    monkeypatch.setattr(serve, "release_of", release_of)
    monkeypatch.setattr(serve, "provide", lambda make, *, release, **options: release() and "")
    serve._provide_files()
    [(folders, more)] = asked
    packages = ROOT / "packages"
    needed = {packages / "portal", packages / "portal_pages", ROOT / "apps" / config.project.app}
    assert needed <= folders
    assert all(each in more for each in ("jinja2-", "markupsafe-", "django_htmx-", "/static/"))


def test_port_taken_while_files_are_made_stops_start(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    with socket.socket() as other, socket.socket() as listener:

        def take() -> None:
            other.bind(("127.0.0.1", port))
            other.listen()

        monkeypatch.setattr(serve, "_provide_files", take)
        monkeypatch.setattr(serve, "_share_static_files", lambda: None)
        command = serve.Command()
        command.listener = listener
        with pytest.raises(CommandError, match=f"port {port} is taken"):
            call_command(command, port=port, skip_checks=True)


@pytest.mark.parametrize(
    ("workers", "status", "said"),
    [("0", 1, "CommandError: --workers, --threads"), ("x", 2, "manage.py serve: error: argument --workers")],
)
def test_impossible_number_of_workers_is_refused(tmp_path: Path, workers: str, status: int, said: str) -> None:
    refused = run_command("serve", "--skip-checks", "--workers", workers, **environment(tmp_path))
    assert refused.status == status
    assert said in refused.err
