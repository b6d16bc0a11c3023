"""What one page asks for at the same time, of a backend that waits until all of it has arrived."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from portal.query.process_state import process_runtime
from portal.testing import Backend, SignedIn
from tests.support.offers import offered

WAIT_S = 20
LISTS = ("clients", "stations", "chargers", "sessions", "meters")
#: Lets the backend answer nothing before so many calls, of these paths or of any, are here at the same time.
WaitFor = Callable[..., None]


@pytest.fixture
def backend(backend: Backend) -> Backend:
    for name in LISTS:
        backend.lists(f"/energy/{name}", [{"id": f"a{number}", "name": "a row of the list"} for number in range(41)])
    return backend


@pytest.fixture
def wait_for(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> WaitFor:
    answer = backend._response

    def do(calls: int, *paths: str) -> None:
        barrier = threading.Barrier(calls, timeout=WAIT_S)

        def answer_late(call: Any, *, account: str | None) -> Any:
            if call.path in paths or not paths:
                barrier.wait()
            return answer(call, account=account)

        backend.calls.clear()
        monkeypatch.setattr(backend, "_response", answer_late)

    return do


@pytest.mark.parametrize("permission", ["ENERGY_APP", "FINANCE_APP"], ids=["allowed", "denied by the profile"])
def test_profile_query_and_numbers_run_together(
    backend: Backend, signed_in: SignedIn, wait_for: WaitFor, permission: str
) -> None:
    """Right after a sign-in, and when nothing is cached any more."""
    browser = signed_in("ENERGY_APP", permissions=[permission], name="Ada")
    is_allowed = permission == "ENERGY_APP"
    for _ in range(2):
        wait_for(3)
        page = browser.get("/en/energy/chargers")
        assert page.status_code == (200 if is_allowed else 403)
        assert sorted(call.path for call in backend.calls) == ["/energy/chargers", "/energy/chargers/counts", "/me"]
        assert ("a row of the list" in page.content.decode()) is is_allowed
        assert "Ada" in page.content.decode() or not is_allowed
        process_runtime().caches.clear()


def test_denying_profile_beats_failure_and_write(backend: Backend, signed_in: SignedIn, wait_for: WaitFor) -> None:
    browser = signed_in("ENERGY_APP", permissions=["FINANCE_APP"])
    wait_for(2, "/me", "/energy/clients/gone")
    assert browser.get("/en/energy/clients/gone").status_code == 403
    process_runtime().caches.clear()
    wait_for(1)
    assert browser.post("/en/energy/clients/a1/delete").status_code == 403
    assert [call.path for call in backend.calls] == ["/me"]


def test_overview_without_summary_asks_at_once(backend: Backend, signed_in: SignedIn, wait_for: WaitFor) -> None:
    wait_for(6)
    with offered("contract"):
        page = signed_in("ENERGY_APP").get("/en/energy")
    assert page.status_code == 200
    assert page.content.decode().count(">41<") >= 5
    assert sorted(call.path.rpartition("/")[2] for call in backend.calls) == sorted([*LISTS, "me"])
