"""The private folder of a server: its own while it lives, removed by others when it was killed."""

import tempfile
from pathlib import Path

import pytest

from portal_server import static_files
from tests.support.forks import meanwhile
from tests.support.whole_runs import number_of


def test_starting_servers_keep_their_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with meanwhile(static_files._remove_left_folders, threads=3):
        for _ in range(number_of(500)):
            with static_files._own_folder("portal-server-energy-") as folder:
                (folder / "static").mkdir()
    assert list(tmp_path.iterdir()) == []
