"""What a start makes of a release is kept for the next starts of that release, and of no other."""

import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from portal_server.prepared_files import provide, release_of
from tests.support.forks import at_once
from tests.support.harness import ROOT, run_program
from tests.support.whole_runs import number_of

RELEASE = b"r" * 32
CONTENTS = {"static/app.css": b"a{}", "static/energy/app.css": b"b{}", "templates/en/index": b"\0"}


class Starts:
    """Starts that keep their files in one place."""

    why_not_kept = ""
    #: In place of the start's own release.
    release_now = b""
    _number = 0

    def __init__(self, folder: Path) -> None:
        self.kept = folder / "state" / "prepared" / "energy"
        self._folder = folder

    def start(self, *, release: bytes = RELEASE, changed: Callable[[], None] = lambda: None) -> bool:
        """Whether it had to make the files. They are all there in any case.

        :param changed: called while it makes them.
        """
        self._number += 1
        own = self._folder / str(self._number)
        folders = [own / "static", own / "templates"]
        for each in folders:
            each.mkdir(parents=True)
        is_made = False

        def make() -> None:
            nonlocal is_made
            is_made = True
            for name, content in CONTENTS.items():
                (own / name).parent.mkdir(exist_ok=True)
                (own / name).write_bytes(content)
            changed()

        self.why_not_kept = provide(make, folders=folders, kept=self.kept, release=lambda: self.release_now or release)
        files = [path for path in own.rglob("*") if path.is_file()]
        assert {str(path.relative_to(own)): path.read_bytes() for path in files} == CONTENTS
        return is_made


@pytest.fixture
def starts(tmp_path: Path) -> Starts:
    return Starts(tmp_path)


def test_the_first_start_of_a_release_makes_the_files_and_the_next_ones_find_them(starts: Starts) -> None:
    assert [starts.start(), starts.start(), starts.start()] == [True, False, False]
    assert [path.name for path in starts.kept.parent.iterdir()] == ["energy"]
    assert (starts.kept.stat().st_mode & 0o777, starts.kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_what_another_release_has_made_is_never_used(starts: Starts) -> None:
    releases = [RELEASE, b"s" * 32, RELEASE]
    assert [starts.start(release=release) for release in releases] == [True, True, True]


def test_what_is_not_whole_counts_as_absent(starts: Starts) -> None:
    starts.start()
    whole = starts.kept.read_bytes()
    for spoilt in (whole[:-1], whole[:20], b"", whole[:-1] + b"?"):
        starts.kept.write_bytes(spoilt)
        assert [starts.start(), starts.start()] == [True, False]


def test_what_others_may_write_is_not_read(starts: Starts) -> None:
    starts.start()
    for mode in (0o620, 0o602):
        starts.kept.chmod(mode)
        assert [starts.start(), starts.start()] == [True, False]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize(("owner", "is_read"), [(0, True), (12345, False)])
def test_file_of_another_user_is_refused(
    starts: Starts, monkeypatch: pytest.MonkeyPatch, owner: int, is_read: bool
) -> None:
    starts.start()
    os.chown(starts.kept, owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    assert starts.start() is not is_read


def test_where_nothing_can_be_kept_each_start_makes_its_files_and_tells_why(starts: Starts) -> None:
    starts.kept.parent.parent.mkdir()
    starts.kept.parent.write_text("no folder")
    for _ in range(2):
        assert starts.start()
        assert "prepared" in starts.why_not_kept


def test_what_was_made_while_the_code_changed_is_not_kept(starts: Starts) -> None:
    assert starts.start(changed=lambda: setattr(starts, "release_now", b"s" * 32))
    assert (starts.why_not_kept, starts.kept.exists()) == ("the code has changed meanwhile", False)


def test_files_that_can_not_be_made_end_the_start(starts: Starts) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        starts.start(changed=fail)
    assert not starts.kept.exists()


@pytest.mark.parametrize("readable", [0, 1], ids=["at first", "at the end"])
def test_code_that_can_not_be_read_keeps_nothing_and_ends_no_start(tmp_path: Path, readable: int) -> None:
    releases = iter([RELEASE] * readable)

    def release() -> bytes:
        for each in releases:
            return each
        raise OSError(errno.EACCES, "Permission denied")

    kept, folder = tmp_path / "state" / "prepared" / "energy", tmp_path / "static"
    assert "Permission denied" in provide(folder.mkdir, folders=[folder], kept=kept, release=release)
    assert (folder.exists(), kept.exists()) == (True, False)


def test_what_was_never_finished_is_removed_after_an_hour(starts: Starts) -> None:
    starts.start()
    old, new = (starts.kept.with_name(name) for name in ("tmpold", "tmpnew"))
    for path, age_s in ((old, 3700), (new, 3500)):
        path.touch()
        os.utime(path, (time.time() - age_s,) * 2)
    starts.start(release=b"s" * 32)
    assert (old.exists(), new.exists()) == (False, True)


def test_the_folders_become_private_and_no_link_or_pipe_is_read(starts: Starts, tmp_path: Path) -> None:
    starts.start()
    for folder in (starts.kept.parent, starts.kept.parent.parent):
        folder.chmod(0o755)
    starts.kept.rename(tmp_path / "elsewhere")
    starts.kept.symlink_to(tmp_path / "elsewhere")
    assert starts.start()
    assert [folder.stat().st_mode & 0o777 for folder in (starts.kept.parent, starts.kept.parent.parent)] == [0o700] * 2
    starts.kept.unlink()
    os.mkfifo(starts.kept, 0o600)
    assert [starts.start(), starts.start()] == [True, False]


def test_starts_at_the_same_time_leave_one_whole_file(starts: Starts, tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
from portal_server.prepared_files import provide

folder, kept = map(Path, sys.argv[1:])
folder.mkdir()
for number in range({number_of(40)}):
    make = lambda: (folder / "a.css").write_bytes(b"a" * 100_000)
    assert provide(make, folders=[folder], kept=kept, release=lambda: bytes([number]) * 32) == ""
"""
    command, environment = (sys.executable, "-c", code), {"PYTHONPATH": str(ROOT / "packages")}
    at_once(4, lambda number: run_program(*command, tmp_path / f"{number}", starts.kept, env=environment))
    assert [path.name for path in starts.kept.parent.iterdir()] == ["energy"]


def test_a_release_is_all_files_the_settings_and_nothing_that_python_writes(tmp_path: Path) -> None:
    (tmp_path / "portal" / "templates").mkdir(parents=True)
    template = tmp_path / "portal" / "templates" / "list.html"
    template.write_text("<p>")
    seen = [release_of([tmp_path / "portal"], "/static/")]
    (tmp_path / "portal" / "__pycache__").mkdir()
    (tmp_path / "portal" / "__pycache__" / "list.cpython-311.pyc.140230958").write_bytes(b"\0")
    assert release_of([tmp_path / "portal"], "/static/") == seen[0]
    seen.append(release_of([tmp_path / "portal"], "/files/"))
    template.write_text("<b>")
    seen.append(release_of([tmp_path / "portal"], "/static/"))
    template.rename(template.with_name("row.html"))
    seen.append(release_of([tmp_path / "portal"], "/static/"))
    assert len(set(seen)) == len(seen)
