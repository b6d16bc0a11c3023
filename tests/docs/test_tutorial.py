"""The tutorial, and the how-tos of a resource, are followed to the letter in one copy of the checkout."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout_copy import copy_caches, output_of, servers_in_copy
from tests.support.harness import FILLED_SANDBOX, ROOT
from tests.support.how_to import follow_all
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import copy_with_environment, run_typed
from tests.support.nested_pytest import run_pytest

PAGE = ROOT / "docs" / "tutorial" / "a-first-page.md"
HOW_TOS = ROOT / "docs" / "how-to"
TESTS = "make test-finance"
#: In the order in which one follows them.
NEXT_PAGES = (HOW_TOS / "add-a-resource-to-the-sandbox.md", HOW_TOS / "add-a-resource.md")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which all of them were followed. Their commands have succeeded; a test runs `make test-finance`."""
    made = copy_with_environment(tmp_path_factory.mktemp("tutorial") / "copy", whole=True)
    copy_caches(made)
    follow_all((page.read_text() for page in (PAGE, *NEXT_PAGES)), made, later=(TESTS,))
    return made


@pytest.fixture(scope="module")
def urls(copy: Path) -> Iterator[dict[str, str]]:
    with servers_in_copy(copy, "auth_app", "finance") as running:
        yield running


@pytest.fixture
def browser(urls: dict[str, str]) -> Iterator[HttpBrowser]:
    with HttpBrowser() as made:
        made.sign_in(urls["auth_app"], email="all@example.com")
        yield made


def names(page: str) -> list[str]:
    """What the rows of a list are called."""
    return re.findall(r'<th scope="row"><a href="[^"]*">(.*?)</a></th>', page)


def test_make_test_finance_passes_at_the_end(copy: Path) -> None:
    assert f"```sh\n{TESTS}\n```" in PAGE.read_text()
    run_typed(TESTS, folder=copy, timeout_s=600, status=0)


#: `make check`, without the other apps, the packages that import neither, and those that are pinned: they are as before.
CHECKS_OF_WHAT_IS_NEW = """
import sys
from tests.checks import CHECKS, Check, main
new = ("apps/finance", "packages/portal/services/finance")
types = Check(("basedpyright", *new), "0 errors, 0 warnings, 0 notes"), Check(("mypy", *new), "Success: .+")
others = {"sandbox_api", "ruff", "lint-imports", "finance"}
sys.exit(main([*types, *(check for check in CHECKS if others & {*check.command})]))
"""


def test_make_check_finds_nothing_in_it(copy: Path) -> None:
    output_of(copy, "-c", CHECKS_OF_WHAT_IS_NEW, timeout_s=600)


# As of the tests of every page, which run in it.
@pytest.mark.timeout(1200)
def test_the_new_pages_are_opened_in_every_state_and_the_new_calls_are_tried_at_the_sandbox(copy: Path) -> None:
    done = run_pytest(
        copy / "tests" / "apps" / "test_every_page.py",
        copy / "tests" / "contract" / "test_endpoints.py",
        only="finance or credit_note",
        checkout=copy,
        **{FILLED_SANDBOX: str(copy / ".state" / "sandbox")},
    )
    assert "[finance.create_credit_note]" in done.stdout


def test_a_page_is_for_whom_is_signed_in_and_may_see_it(urls: dict[str, str]) -> None:
    with HttpBrowser() as browser:
        page = browser.get(f"{urls['finance']}/en/finance/clients")
        assert page.url.startswith(f"{urls['auth_app']}/en/login?next=")
        browser.sign_in(urls["auth_app"], email="finance@example.com")
        assert browser.get(f"{urls['finance']}/en/finance/clients").status_code == 403
        assert browser.get(f"{urls['finance']}/en/finance/credit-notes").status_code == 200


def test_a_client_is_refused_created_changed_and_deleted(urls: dict[str, str], browser: HttpBrowser) -> None:
    clients = f"{urls['finance']}/en/finance/clients"
    assert len(names(browser.get(clients).text)) == 20
    form = browser.get(f"{clients}/new")
    refused = browser.submit(form, "/clients/new", name="Ada of the tutorial", email="nonsense")
    assert refused.status_code == 422
    assert "valid email address" in refused.text
    page = browser.submit(refused, "/clients/new", name="Ada of the tutorial", email="ada.tutorial@example.com")
    assert re.fullmatch(rf"{re.escape(clients)}/cli_\w+", page.url)
    assert "<h1>Ada of the tutorial</h1>" in page.text
    assert names(browser.get(clients).text)[0] == "Ada of the tutorial"
    changed = browser.submit(browser.get(f"{page.url}/edit"), "/edit", name="Ada, changed")
    assert "<h1>Ada, changed</h1>" in changed.text
    assert names(browser.get(clients).text)[0] == "Ada, changed"
    gone = browser.submit(changed, "/delete")
    assert gone.url == clients
    assert "Ada, changed" not in names(gone.text)


def test_a_credit_note_is_created_and_counted_on_the_overview(urls: dict[str, str], browser: HttpBrowser) -> None:
    notes = f"{urls['finance']}/en/finance/credit-notes"
    before = total(browser.get(f"{urls['finance']}/en/finance").text)
    form = {"clientName": "Ada", "amount": "9.90", "reason": "goodwill", "issuedAt": "2026-03-01T10:00:00"}
    made = browser.submit(browser.get(f"{notes}/new"), "/credit-notes/new", **form)
    assert re.fullmatch(rf"{re.escape(notes)}/\w+", made.url)
    assert "<h1>Ada</h1>" in made.text
    assert names(browser.get(notes).text)[0] == "Ada"
    assert total(browser.get(f"{urls['finance']}/en/finance").text) == before + 1
    assert "Gutschriften" in browser.get(notes.replace("/en/", "/de/")).text


def total(overview: str) -> int:
    """The number of credit notes on the overview."""
    found = re.search(r"Credit notes</span>.*?<span class=\"figure-value\">([\d,]+)<", overview, re.DOTALL)
    assert found is not None
    return int(found[1].replace(",", ""))
