"""The folder that servers share: each release adds its files, and one that is long gone loses them."""

import os
from pathlib import Path

from portal_server.static.sharing import share

OLD, NEW, ICON = "app.000000000001.css", "app.000000000002.css", "portal/icon.00000000000a.svg"
DAY = 24 * 60 * 60


def release(folder: Path, *names: str) -> Path:
    """The collected files of one; the text of each is its name."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def shared_names(shared: Path) -> set[str]:
    return {path.relative_to(shared).as_posix() for path in shared.rglob("*") if path.name[0] != "." and path.is_file()}


def age(shared: Path, *, days: float) -> None:
    """Let so much time pass for all files."""
    for path in shared.rglob("*"):
        then = path.stat().st_mtime - days * DAY
        os.utime(path, (then, then))


def test_files_of_two_releases_lie_side_by_side_and_none_is_written_again(tmp_path: Path) -> None:
    shared, old = tmp_path / "not" / "there", release(tmp_path / "old", OLD, f"{OLD}.br", ICON)
    share(old, shared)
    before = (shared / OLD).stat().st_ino
    share(release(tmp_path / "new", NEW, ICON), shared)
    share(old, shared)
    assert shared_names(shared) == {OLD, f"{OLD}.br", NEW, ICON}
    assert (shared / ICON).read_text() == ICON
    assert (shared / OLD).stat().st_ino == before


def test_neither_what_has_no_hash_nor_a_link_is_shared(tmp_path: Path) -> None:
    names = ("staticfiles.json", "app.css", "app.css.gz", "app.123.css", "app.0123456789AB.css", "0123456789ab.css")
    (tmp_path / "secret").write_text("of this machine")
    collected = release(tmp_path / "release", OLD, *names)
    (collected / NEW).symlink_to(tmp_path / "secret")
    share(collected, tmp_path / "shared")
    assert shared_names(tmp_path / "shared") == {OLD}


def test_a_file_is_removed_a_month_after_the_last_release_that_had_it(tmp_path: Path) -> None:
    shared, old, new = tmp_path / "shared", release(tmp_path / "old", OLD, ICON), release(tmp_path / "new", NEW, ICON)
    share(old, shared)
    share(new, shared)
    age(shared, days=29)
    share(new, shared)
    assert shared_names(shared) == {OLD, NEW, ICON}
    age(shared, days=2)
    share(new, shared)
    assert shared_names(shared) == {NEW, ICON}
    # A release that comes back, also after a year, keeps the files of the one before it.
    age(shared, days=365)
    share(old, shared)
    assert shared_names(shared) == {OLD, NEW, ICON}


def test_a_start_that_was_killed_in_the_middle_hinders_none(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / f".{OLD}.new").write_text("half")
    share(release(tmp_path / "release", OLD), shared)
    assert (shared / OLD).read_text() == OLD
