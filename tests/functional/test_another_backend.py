"""The apps against a backend of which nothing is as in the contract: Acme.

`docs/how-to/use-another-backend.md`, followed to the letter in a copy of the checkout: one class, which `APP_BACKEND`
names, and of each resource what stands with its declaration.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.functional import acme_backend as acme
from tests.functional.acme_backend import CUSTOMERS, EMAIL, JOBS, AcmeApi, acme_api
from tests.support.checkout_copy import copy_of_checkout, servers_in_copy
from tests.support.harness import ROOT
from tests.support.how_to import follow
from tests.support.http_browser import HttpBrowser

HOW_TO = ROOT / "docs" / "how-to" / "use-another-backend.md"
CLIENTS, ORDERS = "/en/energy/clients", "/en/operations/work-orders"
ROW = re.compile(r'data-row-id="([^"]+)"')


class Elsewhere(NamedTuple):
    """Apps that were connected to Acme."""

    gateway: str
    energy: str
    operations: str
    acme: AcmeApi
    changed: list[str]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    copy = copy_of_checkout(tmp_path_factory.mktemp("elsewhere") / "copy")
    changed = follow(HOW_TO.read_text(), copy)
    (copy / ".env").write_text("APP_BACKEND=acme.AcmeBackend\n")
    with acme_api() as api, servers_in_copy(copy, "auth_app", "energy", "operations", backend=api.url) as urls:
        yield Elsewhere(
            gateway=urls["auth_app"], energy=urls["energy"], operations=urls["operations"], acme=api, changed=changed
        )
        assert api.strange == [], "the portal spoke by the contract's names"
        unknown = {"idempotency-key", "if-match", "x-forwarded-for"}
        assert [call.path for call in api.asked if unknown & set(call.headers)] == []


@pytest.fixture
def person(elsewhere: Elsewhere) -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        answer = browser.sign_in(elsewhere.gateway, email=EMAIL, password=acme.PASSWORD)
        assert answer.status_code == 303, answer.text
        yield browser


def rows_of(page: requests.Response) -> list[str]:
    assert page.status_code == 200, page.text
    return ROW.findall(page.text)


def names(elsewhere: Elsewhere, path: str) -> list[str]:
    return [row["uuid"] for row in elsewhere.acme.rows[path]]


def next_page(person: HttpBrowser, app: str, page: requests.Response) -> requests.Response:
    more = re.search(r'rel="next"[^>]*href="([^"]+)"', page.text)
    assert more is not None, page.text
    return person.get(app + more[1].replace("&amp;", "&"))


def test_the_class_is_short_and_nothing_of_it_is_in_the_shared_package(elsewhere: Elsewhere) -> None:
    code = re.search(r"```python\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    assert len(code[1].splitlines()) < 80
    assert set(elsewhere.changed) == {
        "acme.py",
        "packages/portal/services/energy/clients.py",
        "packages/portal/services/operations/work_orders.py",
    }


def test_a_wrong_password_is_a_wrong_password(elsewhere: Elsewhere) -> None:
    with HttpBrowser() as browser:
        answer = browser.sign_in(elsewhere.gateway, email=EMAIL, password="another one")
    assert answer.status_code == 401
    assert "Email or password is wrong." in answer.text
    assert elsewhere.acme.asked_for("/oauth/token", "POST")[-1].data() == {
        "grant_type": "password",
        "username": EMAIL,
        "password": "another one",
    }


def test_profile_and_scope_open_a_platform(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    profile = person.get(f"{elsewhere.gateway}/en/profile")
    for shown in ("<h1>Ada of Acme</h1>", EMAIL, "Open Operations"):
        assert shown in profile.text
    person.http.cookies.clear(domain="localhost.local", path="/", name=VAR_PERMITTED_PLATFORMS)
    assert person.get(f"{elsewhere.energy}/en/energy", follow=False).status_code == 200
    assert person.get(f"{elsewhere.operations}/en/operations", follow=False).status_code == 200


def test_a_list_whose_cursor_is_the_last_id_is_read_page_by_page(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    customers = names(elsewhere, CUSTOMERS)
    page = person.get(f"{elsewhere.energy}{CLIENTS}")
    assert rows_of(page) == customers[:20]
    assert "2025" in page.text, "since when each is a client: seconds since 1970"
    second = next_page(person, elsewhere.energy, page)
    assert rows_of(second) == customers[20:40]
    assert elsewhere.acme.asked_for(CUSTOMERS)[-1].query == {"limit": "20", "starting_after": customers[19]}
    last = next_page(person, elsewhere.energy, second)
    assert rows_of(last) == customers[40:]
    assert 'rel="next"' not in last.text


def test_a_list_by_page_number_is_read_page_by_page_with_its_total(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    jobs = names(elsewhere, JOBS)
    page = person.get(f"{elsewhere.operations}{ORDERS}")
    assert rows_of(page) == jobs[:20]
    assert f"20 of {len(jobs)} entries" in page.text
    second = next_page(person, elsewhere.operations, page)
    assert rows_of(second) == jobs[20:40]
    assert elsewhere.acme.asked_for(JOBS)[-1].query == {"page": "2", "size": "20"}


def test_a_list_is_searched_sorted_and_filtered(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    page = person.get(f"{elsewhere.energy}{CLIENTS}?q=customer+1&sort=name&city=Oslo")
    assert len(rows_of(page)) == 10
    asked = [call.query for call in elsewhere.acme.asked_for(CUSTOMERS)]
    assert {"limit": "20", "search": "customer 1", "order_by": "name", "city": "Oslo"} in asked
    # Once for a word that no row has: then it is known that the backend searches.
    person.get(f"{elsewhere.energy}{CLIENTS}?q=customer+2")
    assert elsewhere.acme.asked_for(CUSTOMERS)[len(asked)].query == {"limit": "20", "search": "customer 2"}
    assert len(elsewhere.acme.asked_for(CUSTOMERS)) == len(asked) + 1


def test_writes_show_in_the_cached_list(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    clients = f"{elsewhere.energy}{CLIENTS}"
    assert len(rows_of(person.get(clients))) == 20
    before = len(elsewhere.acme.asked_for(CUSTOMERS))
    fields = {"name": "Grace", "email": "grace@acme.example", "city": "Bergen"}
    made = person.submit(person.get(f"{clients}/new"), "/clients/new", follow=False, **fields)
    assert made.status_code == 303, made.text
    row = elsewhere.acme.rows[CUSTOMERS][0]
    assert rows_of(person.get(clients))[0] == row["uuid"]

    address = f"{clients}/{row['uuid']}"
    assert person.submit(person.get(f"{address}/edit"), "/edit", follow=False, city="Trondheim").status_code == 303
    assert row["city"] == "Trondheim"
    assert "Trondheim" in person.get(address).text
    assert "Trondheim" in person.get(clients).text
    assert person.submit(person.get(address), "/delete", follow=False).status_code == 303
    assert row["uuid"] not in rows_of(person.get(clients))
    asked = [call.query for call in elsewhere.acme.asked_for(CUSTOMERS)[before:]]
    # Whether somebody has this address already; nothing else: the cached list was patched by the row's own id.
    assert asked == [{"search": "grace@acme.example", "limit": "20"}]
    assert row not in elsewhere.acme.rows[CUSTOMERS]


def test_nested_errors_stand_at_their_fields(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    form = person.get(f"{elsewhere.energy}{CLIENTS}/new")
    refused = person.submit(form, "/clients/new", follow=False, name="Ada", email="c1@acme.example")
    assert refused.status_code in {400, 422}
    assert re.search(rf'id="id_email_error">\s*<p class="field-error" lang="nb">{acme.TAKEN}', refused.text)
    form = person.get(f"{elsewhere.operations}{ORDERS}/new")
    refused = person.submit(form, "/work-orders/new", follow=False, title="ab", priority="low")
    assert refused.status_code == 422
    assert re.search(rf'id="id_title_error">\s*<p class="field-error" lang="nb">{acme.TOO_SHORT}', refused.text)


def test_tokens_are_refreshed_once_and_signing_out_tells_the_backend(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    first = person.cookie(VAR_REFRESH_TOKEN)
    elsewhere.acme.expire()
    for app, path in ((elsewhere.energy, CLIENTS), (elsewhere.operations, ORDERS)):
        assert person.get(f"{app}{path}?q=anew", follow=False).status_code == 200
    assert elsewhere.acme.presented.count(first) == 1
    refresh = person.cookie(VAR_REFRESH_TOKEN)
    left = person.submit(person.get(f"{elsewhere.energy}/en/logout"), "/logout", follow=False)
    assert left.status_code == 303
    assert person.cookie(VAR_ACCESS_TOKEN) is None
    assert elsewhere.acme.asked_for("/oauth/revoke", "POST")[-1].data() == {"token": refresh}
