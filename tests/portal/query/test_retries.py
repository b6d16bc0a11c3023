"""Which calls are tried again, after which waits, and what is known of a try that failed."""

import contextlib
from typing import Any

import pytest

from portal import errors
from portal.process.deadline import Deadline
from portal.query import mutation_endpoint
from portal.query.calls import Retries, Tries, may_have_arrived, may_repeat_write
from portal.query.endpoints.effects import Variables
from portal.query.endpoints.requests import WriteRequest
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations


def waited(failures: list[errors.ApiError], *, budget: float = 10, spread: float = 0.5) -> list[float]:
    """Return the waits after these errors, in a time of their own; the last one too if it is raised."""
    waits: list[float] = []
    deadline = Deadline(budget, clock=lambda: sum(waits))
    tries = Tries(retries=Retries(sleep=waits.append, spread=lambda: spread), budget=deadline, most=3)
    with contextlib.suppress(errors.ApiError):
        for error in failures:
            tries.wait(error)
    assert tries.number == 1 + len(waits)
    return waits


@pytest.mark.parametrize(
    ("failures", "options", "waits"),
    [
        ([unavailable(), errors.ApiTimeoutError()], {}, [0.1, 0.2]),
        ([unavailable()] * 2, {"spread": 0.0}, [0.075, 0.15]),
        ([unavailable()] * 2, {"spread": 1.0}, [0.125, 0.25]),
        ([unavailable(retry_after=0.05)], {}, [0.1]),
        ([unavailable(retry_after=1.0)], {}, [1.0]),
        ([unavailable(retry_after=30.0)], {}, [2.0]),
        ([unavailable(retry_after=2)] * 2, {"budget": 3}, [2]),  # the budget is never passed
        *(([unavailable(status)], {}, [0.1]) for status in (408, 425, 429, 500, 502, 503, 504)),
        *(([errors.ApiClientError(status=status)], {}, []) for status in (400, 401, 403, 404, 409, 418, 422)),
        ([unavailable(501)], {}, []),
        *(([errors.ApiMalformedError(status=status)], {}, []) for status in (None, 200)),
        *(([errors.CircuitOpenError(was_sent=was_sent)], {}, []) for was_sent in (False, True)),
    ],
)
def test_waits_are_spread_and_bounded(
    failures: list[errors.ApiError], options: dict[str, float], waits: list[float]
) -> None:
    """`Retry-After` is honoured up to two seconds. An error that another try can't help is raised at once."""
    assert waited(failures, **options) == pytest.approx(waits)


def test_open_circuit_hides_no_earlier_try() -> None:
    """That the second try was not sent must not read as if nothing had been sent."""
    timed_out = errors.ApiTimeoutError("lost")
    timed_out.__cause__ = TimeoutError("timed out")
    tries = Tries(retries=Retries(sleep=lambda _: None, spread=lambda: 0.5), budget=Deadline(10), most=3)
    tries.wait(timed_out)
    with pytest.raises(errors.ApiTimeoutError) as caught:
        tries.wait(errors.CircuitOpenError(was_sent=False))
    assert may_have_arrived(caught.value)
    assert isinstance(caught.value.__cause__, TimeoutError), "the log names what it met"


@pytest.mark.parametrize(
    ("method", "sent", "again"),
    [("POST", True, False), ("POST", False, True), ("PATCH", True, True), ("DELETE", True, True)],
)
def test_post_without_keys_is_repeated_if_unsent(method: Any, sent: bool, again: bool) -> None:
    error, hook = errors.ApiUnavailableError(was_sent=sent), mutation_endpoint(url="/e", method=method)
    write = WriteRequest(hook=hook, variables=Variables(body=None, params={}))
    assert may_repeat_write(write, error, honours_idempotency_key=False) is again
    assert may_repeat_write(write, error, honours_idempotency_key=True)


@pytest.mark.parametrize(
    ("error", "maybe"),
    [
        (errors.ApiUnavailableError(was_sent=False), False),
        (errors.ApiTimeoutError(), True),
        (errors.ApiUnavailableError(status=503), True),
        (errors.ApiMalformedError(status=200), True),
        (errors.ApiValidationError(status=422), False),
        (errors.ApiNotFoundError(status=404), False),
        (errors.ApiUnauthorizedError(status=401), False),
    ],
)
def test_failure_may_have_arrived(error: errors.ApiError, maybe: bool) -> None:
    assert may_have_arrived(error) is maybe


@pytest.mark.parametrize(
    ("first", "was_done"),
    [
        *((error, True) for error in (unavailable(500), unavailable(504), errors.ApiTimeoutError("no answer"))),
        *((unavailable(status), False) for status in (429, 503, 408)),
        (errors.ApiTimeoutError("no connection", was_sent=False), False),
    ],
)
def test_404_to_a_repeated_delete_says_done(ada: User, first: errors.ApiError, was_done: bool) -> None:
    ada.backend.failures = [first, errors.ApiNotFoundError("no such row", status=404)]
    error = ClientMutations.use_delete_client_mutation(ada.request()).mutate(params={"id": "c1"}).error
    assert error is None if was_done else isinstance(error, errors.ApiNotFoundError)
    assert ada.backend.counted()["DELETE", "/energy/clients/c1"] == 2
