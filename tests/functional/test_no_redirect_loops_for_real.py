"""No page may loop: the four real applications, followed as a browser follows them, cookies included.

`tests/portal/edge/test_no_redirect_loops.py` tries every state with modelled views. Here the views are the real
ones, in server processes, and so is what they do to the cookies. Every combination of sign-in and backend is tried, on
a third of the paths. The app, the permissions, the platforms cookie and the kind of request are drawn; any two values
of any two of these seven meet. Each chain is then followed once more, with the cookies that it left behind.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from portal.config.cookies import SIGN_IN_COOKIES, VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.platforms import PLATFORM_BY_NAME
from portal.config.projects import GATEWAY_APP, PROJECTS
from portal.identity.users import dump_platforms_cookie
from portal_dev.local_servers.local_stack import BACKEND
from tests.support.harness import running_stack
from tests.support.opinionated_backend import Attitude, OpinionatedBackend, opinionated_backend
from tests.support.ports import free_port_base
from tests.support.raw_browser import HTMX, PERSON, KeptConnections, RedirectChain, follow_redirects

#: To a page, or to the one where the sign-in turns out to have ended.
MOST_HOPS = 3
#: From `/`, signed out: to the locale, and to the gateway's sign-in page.
HOPS_TO_THE_LOGIN_PAGE = 2
#: From there to `/`, and on.
HOPS_OF_AN_END = 1 + HOPS_TO_THE_LOGIN_PAGE
TRAVELLERS = 24

#: The four that the requirements name, whatever else the registry has: the paths below are theirs.
PLATFORMS = ("ENERGY", "OPERATIONS", "FINANCE")
APPS = (GATEWAY_APP, *(PLATFORM_BY_NAME[name].app for name in PLATFORMS))
PATHS = (
    "/",
    "/en",
    "/de/",
    "/login",
    "/en/login",
    "/en/login?next=%2Fen%2Fenergy%2Fclients",
    "/en/login-history",
    "/en/profile",
    "/en/logout",
    "/en/signed-out",
    "/en/essentials",
    "/energy",
    "/EN//finance/",
    "/en/energy",
    "/en/energy/clients?q=x",
    "/de/operations",
    "/tr/finance/invoices",
    "/en/nothing-here",
)
#: Access tokens, and the seconds until their end where they have one.
ACCESS = {
    "none": None,
    "valid": 3600.0,
    "expired within the leeway": -10.0,
    "expired": -3600.0,
    "without an end": None,
    "garbage": None,
    "alg none": 3600.0,
}
#: Those with which the edge lets pass, without a refresh token.
ALIVE = {"valid", "expired within the leeway", "without an end"}
PLATFORM_SETS = tuple(
    chosen for size in range(len(PLATFORMS) + 1) for chosen in itertools.combinations(PLATFORMS, size)
)
COOKIES = ("absent", "agreeing", "lying", "empty", "malformed")
ASKS = {"a person": PERSON, "htmx": HTMX}

REJECTING = {Attitude.REJECTS, Attitude.REFUSES_REFRESH, Attitude.CANNOT_REFRESH}
OUTAGES = {Attitude.CANNOT_REFRESH, Attitude.UNAVAILABLE, Attitude.DOWN}
OPEN_PAGES = {"/login", "/logout", "/signed-out"}


class SignIn(NamedTuple):
    access: str
    refreshable: bool

    @property
    def alive(self) -> bool:
        """Whether the edge lets it pass."""
        return self.refreshable or self.access in ALIVE


@dataclass(frozen=True)
class Start:
    """What a browser brings, where it goes, and how the backend will answer."""

    sign_in: SignIn
    attitude: Attitude
    path: str
    app: str
    platforms: tuple[str, ...]
    cookie: str
    asks: str


SIGN_INS = tuple(SignIn(*chosen) for chosen in itertools.product(ACCESS, (False, True)))
DRAWN = (APPS, PLATFORM_SETS, COOKIES, tuple(ASKS))


def starts() -> list[Start]:
    """The same every time; in no order, so that those who wait for retries leave the servers to others."""
    draw = random.Random(3)
    places = itertools.product(enumerate(SIGN_INS), enumerate(Attitude), enumerate(PATHS))
    drawn = [
        Start(sign_in, attitude, path, *(draw.choice(values) for values in DRAWN))
        for (one, sign_in), (two, attitude), (three, path) in places
        if (one + two + three) % 3 == 0
    ]
    draw.shuffle(drawn)
    return drawn


def cookies_of(start: Start, backend: OpinionatedBackend) -> dict[str, str]:
    """What the browser brings. The backend says of other permissions what the lying cookie says."""
    others = PLATFORM_SETS[(PLATFORM_SETS.index(start.platforms) + 3) % len(PLATFORM_SETS)]
    said = {Attitude.OTHER_PERMISSIONS: others, Attitude.NO_PERMISSIONS: ()}.get(start.attitude, start.platforms)
    says = [PLATFORM_BY_NAME[name].permission for name in said]
    kind = start.sign_in.access
    access = backend.access(
        attitude=start.attitude,
        permissions=[PLATFORM_BY_NAME[name].permission for name in start.platforms],
        says=says,
        expires_in_s=ACCESS[kind],
        algorithm="none" if kind == "alg none" else "HS256",
    )
    cookies = {
        VAR_ACCESS_TOKEN: {"none": None, "garbage": "no.such.token"}.get(kind, access),
        VAR_REFRESH_TOKEN: backend.refresh(attitude=start.attitude, says=says) if start.sign_in.refreshable else None,
        VAR_PERMITTED_PLATFORMS: {
            "agreeing": dump_platforms_cookie(start.platforms),
            "lying": dump_platforms_cookie(others),
            "empty": dump_platforms_cookie(()),
            "malformed": '["ENERGY", {',
        }.get(start.cookie),
    }
    return {name: value for name, value in cookies.items() if value is not None}


class Trip(NamedTuple):
    """A chain of redirects, from where it started. `again`: with the cookies of the first time."""

    start: Start
    brought: dict[str, str]
    chain: RedirectChain
    again: bool


@dataclass(frozen=True)
class Travelled:
    """All that was travelled, and what the servers wrote meanwhile."""

    trips: list[Trip]
    backend: OpinionatedBackend
    log: str

    def such_that(self, condition: Callable[[Start, RedirectChain], object]) -> list[Trip]:
        return [trip for trip in self.trips if condition(trip.start, trip.chain)]


@pytest.fixture(scope="module")
def travelled(tmp_path_factory: pytest.TempPathFactory) -> Travelled:
    base = free_port_base()
    production = {"DEBUG": "off", "SECRET_KEY": "k" * 50, "ALLOWED_HOSTS": "localhost,127.0.0.1"}
    production |= {project.url_variable: project.local_url(port_base=base) for project in PROJECTS}
    folder = tmp_path_factory.mktemp("loops")
    with (
        opinionated_backend() as (backend, listening),
        running_stack(
            folder, without=(BACKEND,), port_base=base, APP_PUBLIC_API_BASE_URL=backend.url, **production
        ) as stack,
        contextlib.closing(KeptConnections(*(stack.url(app) for app in APPS))) as connections,
        ThreadPoolExecutor(TRAVELLERS) as pool,
    ):

        def there_and_again(start: Start) -> tuple[Trip, Trip]:
            url, headers, brought = stack.url(start.app, start.path), ASKS[start.asks], cookies_of(start, backend)
            first = follow_redirects(url, cookies=brought, headers=headers, connections=connections)
            second = follow_redirects(url, cookies=first.cookies, headers=headers, connections=connections)
            return Trip(start, brought, first, again=False), Trip(start, first.cookies, second, again=True)

        pairs = list(pool.map(there_and_again, [start for start in starts() if start.attitude is not Attitude.DOWN]))
        listening.stop()
        pairs += pool.map(there_and_again, [start for start in starts() if start.attitude is Attitude.DOWN])
    return Travelled([trip for pair in pairs for trip in pair], backend, stack.log.read_text())


def none_of(trips: list[Trip]) -> None:
    shown = "\n".join(f"{trip.start}{' again' * trip.again}: {trip.chain.steps}" for trip in trips[:5])
    assert not trips, f"{len(trips)}, such as\n{shown}"


def test_any_two_values_of_any_two_sides_of_a_start_meet() -> None:
    sides = (SIGN_INS, tuple(Attitude), PATHS, *DRAWN)
    rows = [(s.sign_in, s.attitude, s.path, s.app, s.platforms, s.cookie, s.asks) for s in starts()]
    assert len(set(rows)) == len(rows) >= 800
    for one, other in itertools.combinations(range(len(sides)), 2):
        assert {(row[one], row[other]) for row in rows} == set(itertools.product(sides[one], sides[other]))


def test_every_chain_of_redirects_ends_within_three_hops_or_six_if_its_sign_in_ends(travelled: Travelled) -> None:
    ended = travelled.such_that(lambda _, chain: chain.ended is not None)
    none_of([trip for trip in ended if trip.chain.hops + trip.chain.epilogue > MOST_HOPS + HOPS_OF_AN_END])
    none_of(travelled.such_that(lambda _, chain: chain.ended is None and chain.hops > MOST_HOPS))
    none_of(travelled.such_that(lambda _, chain: chain.faults))
    assert {trip.chain.hops + trip.chain.epilogue for trip in ended} == {3, 4, 5, 6}
    assert {trip.chain.hops for trip in travelled.trips if trip.chain.ended is None} == {0, 1, 2, 3}
    assert {trip.chain.status for trip in travelled.trips} == {200, 401, 403, 404, 503}
    assert travelled.backend.presented_again == []
    assert "refreshed" in travelled.log, "there were refreshes"


def test_a_sign_in_that_ends_leaves_no_cookie_and_leads_to_the_login_page(travelled: Travelled) -> None:
    ended = travelled.such_that(lambda _, chain: chain.ended is not None)
    assert {trip.start.attitude for trip in ended} == {
        Attitude.REFUSES_REFRESH,
        Attitude.REJECTS,
        Attitude.REJECTS_ME,
    }
    none_of([trip for trip in ended if set(SIGN_IN_COOKIES) & set(trip.chain.ended or ())])
    none_of([trip for trip in ended if trip.chain.epilogue != HOPS_TO_THE_LOGIN_PAGE])
    none_of([trip for trip in ended if (trip.chain.status, trip.chain.page) != (200, "/login")])
    none_of([trip for trip in ended if trip.again or not trip.start.sign_in.refreshable])


def test_only_an_outage_is_a_503_and_it_says_when_to_come_back(travelled: Travelled) -> None:
    unavailable = travelled.such_that(lambda _, chain: chain.status == 503)
    assert {trip.start.attitude for trip in unavailable} == OUTAGES
    none_of([trip for trip in unavailable if not trip.start.sign_in.alive])
    none_of([trip for trip in unavailable if not trip.chain.retry_after])
    # Without a refresh token nobody tries to refresh: the 401 is passed through.
    cannot = [trip for trip in unavailable if trip.start.attitude is Attitude.CANNOT_REFRESH]
    none_of([trip for trip in cannot if not trip.start.sign_in.refreshable])


def test_a_backend_shows_pages_to_whom_it_knows_alone(travelled: Travelled) -> None:
    shown = travelled.such_that(lambda start, chain: start.attitude in REJECTING and chain.status == 200)
    assert {trip.chain.page for trip in shown} == OPEN_PAGES
    known = travelled.such_that(
        lambda s, _: (s.attitude, s.sign_in.access, s.asks) == (Attitude.AGREES, "valid", "a person")
    )
    assert known
    none_of([trip for trip in known if trip.chain.status not in {200, 404}])


def test_an_outage_signs_nobody_out(travelled: Travelled) -> None:
    out = [trip for trip in travelled.trips if trip.start.attitude in OUTAGES and trip.start.sign_in.alive]
    assert out
    tokens = (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)
    none_of([t for t in out if any(t.brought.get(name) != t.chain.cookies.get(name) for name in tokens)])


def test_a_dead_sign_in_is_cleared_and_counts_as_signed_out(travelled: Travelled) -> None:
    dead = travelled.such_that(lambda start, _: start.sign_in.access != "none" and not start.sign_in.alive)
    assert dead
    none_of([trip for trip in dead if set(SIGN_IN_COOKIES) & set(trip.chain.cookies)])
    none_of([trip for trip in dead if trip.chain.status == 200 and trip.chain.page not in OPEN_PAGES])


def test_the_servers_logged_no_error_of_their_own(travelled: Travelled) -> None:
    assert "Traceback" not in travelled.log
    errors = [line for line in travelled.log.splitlines() if " ERROR " in line]
    assert errors, "an outage is logged"
    assert [line for line in errors if ": 503: " not in line] == []
