"""The system check of a project's source, for the project of the tests."""

from pathlib import Path

import pytest

from portal_dev.source_checks.source import unreadable_files
from tests.support.checkout_copy import copy_of_checkout, in_copy, run


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("view.py", b"x = 1\ndef (\n", 2),
        ("view.py", b"x = 1\0\n", 1),
        ("view.py", b"x = '\xe9'\n", 1),
        ("view.py", b"x = " + b"+".join([b"1"] * 9000), 1),
        ("page.html", b"<p>\xe9</p>", 1),
    ],
)
def test_unreadable_file_is_reported(tmp_path: Path, name: str, content: bytes, line: int) -> None:
    (tmp_path / name).write_bytes(content)
    (fault,) = unreadable_files(tmp_path)
    assert (fault.path, fault.line, fault.id) == (tmp_path / name, line, "E011")


def test_empty_files_and_links_to_nowhere_have_no_fault(tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    (tmp_path / ".#view.py").symlink_to("me@machine.1:2")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "folder.py").mkdir()
    assert list(unreadable_files(tmp_path)) == []


def test_gateway_checks_its_package_of_the_checkout(tmp_path: Path) -> None:
    copy = copy_of_checkout(tmp_path / "copy")
    module = copy / "packages" / "portal_gateway" / "devices.py"
    module.write_text(f"{module.read_text()}\ndef page(request):\n    return render(request, 'auth_app/profil.html')\n")
    checked = run(copy, "manage.py", "--app", "auth_app", "check", variables=in_copy(copy, DEBUG="on"))
    assert "packages/portal_gateway/devices.py" in checked.stderr
    assert "did you mean 'auth_app/profile.html'?" in checked.stderr
