"""The tutorial, followed to the letter in a copy of the checkout."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from tests.support.checkout_copy import copy_of_checkout, servers_in_copy
from tests.support.harness import ROOT
from tests.support.http_browser import HttpBrowser
from tests.support.nested_pytest import run_app_tests_in_copy

PAGE = ROOT / "docs" / "tutorial" / "a-first-page.md"


def follow(copy: Path) -> None:
    """Write the files that the page names with the text that it gives, and the address that it gives."""
    text = PAGE.read_text()
    for name, code in re.findall(r"`((?:tests/)?apps/[^`]+)`:\n\n +```\w+\n(.*?)\n +```", text, flags=re.DOTALL):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(textwrap.dedent(code) + "\n")
    name, line = re.search(r"`(apps/[^`]+)`: `(platform_page\([^`]+)`", text).groups()
    urls = (copy / name).read_text()
    changed = urls.replace("    pages=[\n", f"    pages=[\n        {line},\n", 1)
    assert changed != urls
    (copy / name).write_text(
        changed.replace(
            "from __future__ import annotations\n",
            "from __future__ import annotations\n\nfrom apps.energy.views.oslo import oslo\n",
            1,
        )
    )


def test_the_first_page_of_the_tutorial_shows_the_clients_of_oslo(tmp_path: Path) -> None:
    copy = copy_of_checkout(tmp_path / "copy")
    follow(copy)
    tested = run_app_tests_in_copy(copy, "energy")
    assert "1 passed" in tested.stdout, tested.stdout
    with servers_in_copy(copy, "auth_app", "energy", seed=("seed",)) as urls, HttpBrowser() as browser:
        address = f"{urls['energy']}/en/energy/oslo"
        assert browser.get(address).url.startswith(f"{urls['auth_app']}/en/login?next=")
        browser.sign_in(urls["auth_app"], email="energy@example.com")
        page = browser.get(address)
        assert page.status_code == 200
        assert len(re.findall(r"data-row-id=", page.text)) > 3
