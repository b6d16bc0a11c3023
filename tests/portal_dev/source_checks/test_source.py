"""The system check of a project's source, for the project of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal.config.places import SOURCE_ROOT
from portal_dev.source_checks.faults import SourceFault, name_hint
from portal_dev.source_checks.routes import routes_of
from portal_dev.source_checks.source import unreadable_files
from tests.support.checkout_copy import copy_of_checkout, in_copy, run


def test_the_names_of_its_urls_are_known_with_the_number_of_their_values() -> None:
    counts = routes_of("apps.energy.urls").counts
    assert counts["clients"] == {0}
    assert counts["client"] == {1}
    assert "login" in counts
    assert "logout" in counts


def test_its_pages_are_known_by_their_routes_below_the_locale_and_its_other_addresses() -> None:
    routes = routes_of("apps.energy.urls")
    assert routes.pages["/energy/clients/<str:row_id>"] == "client"
    assert {"/", "/locale", "/healthz"} <= routes.others
    assert "/energy/clients" not in routes.others


def test_a_fault_is_printed_with_its_place_below_the_checkout() -> None:
    fault = SourceFault(path=SOURCE_ROOT / "apps" / "x.py", line=3, message="Wrong", hint="Write it", id="E001")
    assert str(fault.as_message()) == "apps/x.py:3: (portal.source.E001) Wrong\n\tHINT: Write it"
    elsewhere = SourceFault(path=Path("/tmp/x.py"), line=3, message="Wrong", hint="", id="E001")
    assert str(elsewhere.as_message()) == "/tmp/x.py:3: (portal.source.E001) Wrong"


def test_a_name_that_is_like_no_other_is_answered_with_all_names() -> None:
    assert name_hint("paymets", ["payments", "home"]) == "did you mean 'payments'?"
    assert name_hint("xyz", ["payments", "home"]) == "there are home, payments"
    assert name_hint("xyz", []) == "there are none"


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("view.py", b"x = 1\ndef (\n", 2),
        ("view.py", b"x = 1\n'not closed\n", 2),
        ("view.py", b"x = 1\0\n", 1),
        ("view.py", b"x = '\xe9'\n", 1),
        ("view.py", b"x = " + b"+".join([b"1"] * 9000), 1),
        ("page.html", b"<p>\xe9</p>", 1),
    ],
)
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, name: str, content: bytes, line: int) -> None:
    (tmp_path / name).write_bytes(content)
    (fault,) = unreadable_files(tmp_path)
    assert (fault.path, fault.line, fault.id) == (tmp_path / name, line, "E011")


def test_empty_files_and_links_to_nowhere_are_no_faults(tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    (tmp_path / ".#view.py").symlink_to("me@machine.1:2")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "folder.py").mkdir()
    assert list(unreadable_files(tmp_path)) == []


def test_the_gateway_checks_its_package_where_that_is_in_the_checkout(tmp_path: Path) -> None:
    copy = copy_of_checkout(tmp_path / "copy")
    module = copy / "packages" / "portal_gateway" / "devices.py"
    module.write_text(f"{module.read_text()}\ndef page(request):\n    return render(request, 'auth_app/profil.html')\n")
    checked = run(copy, "manage.py", "--app", "auth_app", "check", variables=in_copy(copy, DEBUG="on"))
    assert "packages/portal_gateway/devices.py" in checked.stderr
    assert "did you mean 'auth_app/profile.html'?" in checked.stderr
