"""The gateway and the energy app against a backend that calls everything by other names.

`docs/how-to/use-another-backend.md`, followed in a copy of the checkout: the names in `portal.config.contract_names`, and of
each resource what stands with its declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests

from portal.config import contract_names as contract
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.support import foreign_backend as foreign
from tests.support.checkout_copy import copy_of_checkout, in_copy, run, servers_in_copy
from tests.support.foreign_backend import ADDRESSES, CUSTOMER, CUSTOMERS, EMAIL, NAMES, OPERATOR, ForeignBackend
from tests.support.http_browser import HttpBrowser

CONTRACT = "packages/portal/config/contract_names.py"
CLIENTS = "/en/energy/clients"
ROW = re.compile(r'data-row-id="([^"]+)"')


class Elsewhere(NamedTuple):
    """Apps that were adopted to a foreign backend."""

    copy: Path
    gateway: str
    energy: str
    backend: ForeignBackend


def names_of_the_contract() -> dict[str, Any]:
    """Its constants that are names: a text, or several in the order of preference."""
    return {name: value for name, value in vars(contract).items() if name.isupper() and isinstance(value, str | tuple)}


def change(path: Path, *changes: tuple[str, str]) -> None:
    """Replace each pattern wherever it stands in the file, or files, of a path."""
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    for pattern, new in changes:
        found = 0
        for file in files:
            text, number = re.subn(pattern, new, file.read_text(), flags=re.MULTILINE)
            found += number
            file.write_text(text)
        assert found, f"{pattern} stands nowhere in {path}"


def adopt(copy: Path) -> None:
    """The steps of the how-to."""
    change(copy / CONTRACT, *((rf"^{name}: Final = .*$", f"{name}: Final = {new!r}") for name, new in NAMES.items()))
    services = copy / "packages" / "portal" / "services"
    change(services, *((rf'"{own}(?=["/])', f'"{new}') for own, new in ADDRESSES.items()))
    clients = services / "energy" / "clients.py"
    change(clients, (r"^from portal.query import (.*)$", r"from portal.query import \1, field"))
    for own, new in CUSTOMER.items():
        change(clients, (rf"^    {own}: (str.*) = (.*)$", rf'    {own}: \1 = field(default=\2, name="{new}")'))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    copy = copy_of_checkout(tmp_path_factory.mktemp("elsewhere") / "copy")
    adopt(copy)
    with (
        foreign.foreign_backend() as backend,
        servers_in_copy(copy, "auth_app", "energy", backend=backend.url) as urls,
    ):
        yield Elsewhere(copy=copy, gateway=urls["auth_app"], energy=urls["energy"], backend=backend)
        assert backend.strange == []
        of_the_contract = {"idempotency-key", "if-match", "x-request-id", "x-forwarded-for"}
        assert [call.path for call in backend.asked if of_the_contract & set(call.headers)] == []


@pytest.fixture
def person(elsewhere: Elsewhere) -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        answer = browser.sign_in(elsewhere.gateway, email=EMAIL, password=foreign.PASSWORD)
        assert answer.status_code == 303, answer.text
        yield browser


def rows_of(page: requests.Response) -> list[str]:
    assert page.status_code == 200, page.text
    return ROW.findall(page.text)


def new_client(person: HttpBrowser, elsewhere: Elsewhere, **fields: str) -> requests.Response:
    form = person.get(f"{elsewhere.energy}{CLIENTS}/new")
    return person.submit(form, "/clients/new", follow=False, **fields)


def test_every_name_of_the_contract_is_another_one_here() -> None:
    assert set(NAMES) == set(names_of_the_contract()), (
        "a new constant needs another name in tests/support/foreign_backend.py"
    )
    for name, own in names_of_the_contract().items():
        new = NAMES[name]
        assert not {own} & {new}, name
        assert not isinstance(own, tuple) or not set(own) & set(new), name


def test_a_wrong_password_is_a_wrong_password(elsewhere: Elsewhere) -> None:
    with HttpBrowser() as browser:
        answer = browser.sign_in(elsewhere.gateway, email=EMAIL, password="another one")
    assert answer.status_code == 401
    assert elsewhere.backend.asked_for("/session/open", "POST")[-1].body == {
        "loginName": EMAIL,
        "passphrase": "another one",
    }


def test_who_signs_in_is_led_by_the_claims_and_shown_by_the_profile(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    profile = person.get(f"{elsewhere.gateway}/en/profile")
    assert profile.status_code == 200
    for shown in ("<h1>Ada of Elsewhere</h1>", EMAIL, '<li class="tag">ENERGY_APP</li>'):
        assert shown in profile.text
    state = person.http.get(f"{elsewhere.energy}/sign-in-state", timeout=20).json()
    assert state["signedIn"] is True
    assert state["account"], "the subject names the account"


def test_the_tokens_own_permissions_open_a_platform(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    person.http.cookies.clear(domain="localhost.local", path="/", name=VAR_PERMITTED_PLATFORMS)
    assert person.get(f"{elsewhere.energy}/en/energy", follow=False).status_code == 200


def test_the_edge_explains_what_permissions_open(elsewhere: Elsewhere, tmp_path: Path) -> None:
    asked = ("--app", "energy", "explain_route", "/en/energy", "--permissions", "ENERGY_APP")
    variables = in_copy(elsewhere.copy, DEBUG="on", APP_STATE_DIR=str(tmp_path))
    explained = run(elsewhere.copy, "manage.py", *asked, variables=variables)
    assert "platforms      ENERGY (from the token)" in explained.stdout, explained.stdout + explained.stderr


def test_the_role_decides_where_home_is(elsewhere: Elsewhere) -> None:
    with HttpBrowser() as browser:
        answer = browser.sign_in(elsewhere.gateway, email=OPERATOR, password=foreign.PASSWORD)
    assert answer.headers["Location"].endswith("/en/operations")


def test_the_overview_shows_the_totals_of_lists_where_there_is_no_summary(
    elsewhere: Elsewhere, person: HttpBrowser
) -> None:
    page = person.get(f"{elsewhere.energy}/en/energy")
    assert page.status_code == 200
    figure = r'figure-name">([^<]+)</span>.*?<span class="figure-value">([^<]+)<'
    figures = dict(re.findall(figure, page.text, re.DOTALL))
    assert figures["Clients"] == str(len(elsewhere.backend.customers))
    assert figures["Meters"] == "0"


def test_a_list_comes_in_pages_with_its_total(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    page = person.get(f"{elsewhere.energy}{CLIENTS}")
    customers = [row["ref"] for row in elsewhere.backend.customers][::-1]
    assert rows_of(page) == customers[:20]
    assert f"{len(customers)} entries in all" in page.text
    assert "Jan" in page.text, "since when each is a client"
    more = re.search(r'rel="next"[^>]*href="([^"]+)"', page.text).group(1)
    last = person.get(f"{elsewhere.energy}{more}")
    assert rows_of(last) == customers[20:40]
    assert 'rel="next"' not in last.text
    assert elsewhere.backend.asked_for(CUSTOMERS)[-1].query == {"top": "20", "from": "at-20"}


@pytest.mark.parametrize("order", ["made_asc", "title_asc", "title_desc"])
def test_a_list_is_searched_and_sorted(elsewhere: Elsewhere, person: HttpBrowser, order: str) -> None:
    menu = person.get(f"{elsewhere.energy}{CLIENTS}").text
    orders = re.findall('<option value="([^"]+)"', menu)
    assert orders[:4] == ["made_desc", "made_asc", "title_asc", "title_desc"]
    assert orders[4:] == ["email", "-email", "city", "-city"], "the resource's own"
    heading = re.search(r'<th[^>]*aria-sort="descending".*?href="([^"]+)"', menu, re.DOTALL)
    assert heading is not None
    assert heading[1].endswith("sort=made_asc"), "the list is sorted by the time of creation"
    page = person.get(f"{elsewhere.energy}{CLIENTS}?q=customer+1&sort={order}")
    call = elsewhere.backend.asked_for(CUSTOMERS)[-1]
    assert call.query == {"top": "20", "find": "customer 1", "order": order}
    found = sorted(row["ref"] for row in elsewhere.backend.customers if "Customer 1" in row["fullName"])
    assert rows_of(page) == (found[::-1] if order == "title_desc" else found)


def test_what_the_backend_says_of_an_address_is_shown_in_its_language(
    elsewhere: Elsewhere, person: HttpBrowser
) -> None:
    page = person.get(f"{elsewhere.energy}{CLIENTS}?q={foreign.UNSEARCHABLE}")
    assert page.status_code == 422
    assert re.search(rf'lang="nb">\s*<li>{foreign.EXPLAINED}</li>', page.text)


def test_a_place_that_the_backend_does_not_know_is_the_beginning_of_the_list(
    elsewhere: Elsewhere, person: HttpBrowser
) -> None:
    first = rows_of(person.get(f"{elsewhere.energy}{CLIENTS}"))
    assert rows_of(person.get(f"{elsewhere.energy}{CLIENTS}?cursor=made-up")) == first


def test_a_form_shows_the_backends_complaint_at_its_field_and_its_row_on_top_of_the_list(
    elsewhere: Elsewhere, person: HttpBrowser
) -> None:
    assert len(rows_of(person.get(f"{elsewhere.energy}{CLIENTS}"))) == 20
    refused = new_client(person, elsewhere, fullName="Ada", mail="c1@example.com", town="Bergen")
    assert refused.status_code == 422
    assert re.search(rf'id="id_mail_error">\s*<p class="field-error" lang="nb">{foreign.REFUSED}', refused.text), (
        refused.text
    )
    before = len(elsewhere.backend.asked_for(CUSTOMERS))
    made = new_client(person, elsewhere, fullName="Ada", mail="ada@elsewhere.example", town="Bergen")
    assert made.status_code == 303, made.text
    row = elsewhere.backend.customers[-1]
    rows = rows_of(person.get(f"{elsewhere.energy}{CLIENTS}"))
    assert rows[0] == row["ref"]
    assert len(elsewhere.backend.asked_for(CUSTOMERS)) == before, "the cached list was patched by the row's id"

    address = f"{elsewhere.energy}{CLIENTS}/{row['ref']}"
    form = person.get(f"{address}/edit")
    assert person.submit(form, "/edit", follow=False, town="Trondheim").status_code == 303
    assert "Trondheim" in person.get(address).text
    assert person.submit(person.get(address), "/delete", follow=False).status_code == 303
    assert row["ref"] not in rows_of(person.get(f"{elsewhere.energy}{CLIENTS}"))
    writes = [call for call in elsewhere.backend.asked if call.method != "GET" and call.path.startswith(CUSTOMERS)]
    assert all("x-once" in call.headers for call in writes)


@pytest.mark.parametrize(
    ("name", "said"), [("Explained", "Kunden er sperret."), ("Headed", "Kunden er ikke velkommen.")]
)
def test_a_refusal_is_shown_in_the_backends_words(
    elsewhere: Elsewhere, person: HttpBrowser, name: str, said: str
) -> None:
    refused = new_client(person, elsewhere, fullName=name, mail=f"{name}@elsewhere.example")
    assert refused.status_code == 422
    assert said in refused.text
    assert "Avvist" not in refused.text


def test_an_access_token_that_is_refused_is_renewed(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    before = person.cookie(VAR_ACCESS_TOKEN)
    elsewhere.backend.forget_access()
    assert person.get(f"{elsewhere.energy}{CLIENTS}?q=renewed").status_code == 200
    assert person.cookie(VAR_ACCESS_TOKEN) not in {None, before}
    long_lived = elsewhere.backend.asked_for("/session/renew", "POST")[-1]
    assert "authorization" not in long_lived.headers
    assert "x-once" in long_lived.headers
    assert elsewhere.backend.asked_for(CUSTOMERS)[-1].headers["x-trace"]
    assert elsewhere.backend.asked_for(CUSTOMERS)[-1].headers["x-browser"]
    assert elsewhere.backend.asked_for(f"{CUSTOMERS}/tally")[-1].query["per"] == "city"


def test_signing_out_tells_the_backend(elsewhere: Elsewhere, person: HttpBrowser) -> None:
    long_lived = person.cookie(VAR_REFRESH_TOKEN)
    left = person.submit(person.get(f"{elsewhere.energy}/en/logout"), "/logout", follow=False)
    assert left.status_code == 303
    assert person.cookie(VAR_ACCESS_TOKEN) is None
    assert elsewhere.backend.asked_for("/session/close", "POST")[-1].body == {"longLived": long_lived}
    assert long_lived not in elsewhere.backend.long_lived
