"""Which calls are tried again, after which waits, and what is known of a try that failed."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from portal import errors
from portal.process.deadline import Deadline
from portal.query import mutation_endpoint
from portal.query.calls import Retries, Tries, may_have_arrived, may_repeat_write
from portal.query.endpoints.effects import Variables
from portal.query.endpoints.requests import WriteRequest
from tests.portal.query import answering
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User


class Waits:
    """Notes the waits after errors, in a time of its own."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def after(self, failures: list[errors.ApiError], *, budget: float = 10, spread: float = 0.5) -> None:
        deadline = Deadline(budget, clock=lambda: sum(self.waits))
        retries = Retries(sleep=self.waits.append, spread=lambda: spread)
        tries = Tries(retries=retries, budget=deadline, most=3)
        for error in failures:
            tries.wait(error)
        assert tries.number == 1 + len(failures)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.mark.parametrize(
    ("failures", "spread", "waited"),
    [
        ([errors.ApiUnavailableError(status=503), errors.ApiTimeoutError()], 0.5, [0.1, 0.2]),
        ([errors.ApiUnavailableError(status=500)] * 2, 0.0, [0.075, 0.15]),
        ([errors.ApiUnavailableError(status=500)] * 2, 1.0, [0.125, 0.25]),
        ([errors.ApiUnavailableError(status=503, retry_after=0.05)], 0.5, [0.1]),
        ([errors.ApiUnavailableError(status=503, retry_after=1.0)], 0.5, [1.0]),
        ([errors.ApiUnavailableError(status=503, retry_after=30.0)], 0.5, [2.0]),
    ],
)
def test_waits_are_spread_and_honour_retry_after_up_to_two_seconds(
    waits: Waits, failures: list[errors.ApiError], spread: float, waited: list[float]
) -> None:
    waits.after(failures, spread=spread)
    assert waits.waits == pytest.approx(waited)


def test_the_request_budget_is_never_passed(waits: Waits) -> None:
    with pytest.raises(errors.ApiUnavailableError):
        waits.after([errors.ApiUnavailableError(status=503, retry_after=2)] * 2, budget=3)
    assert waits.waits == [2]


@pytest.mark.parametrize(
    ("error", "again"),
    [
        *((errors.ApiUnavailableError(status=status), True) for status in (408, 425, 429, 500, 502, 503, 504)),
        *((errors.ApiClientError(status=status), False) for status in (400, 401, 403, 404, 409, 418, 422)),
        (errors.ApiUnavailableError(status=501), False),
        *((errors.ApiMalformedError(status=status), False) for status in (None, 200)),
        *((errors.CircuitOpenError(was_sent=was_sent), False) for was_sent in (False, True)),
    ],
)
def test_some_failures_are_tried_again(waits: Waits, error: errors.ApiError, again: bool) -> None:
    with contextlib.nullcontext() if again else pytest.raises(type(error)):
        waits.after([error])
    assert len(waits.waits) == again


def test_a_try_that_is_refused_since_the_circuit_is_open_hides_no_earlier_one(waits: Waits) -> None:
    """That the second try was not sent must not read as if nothing had been sent."""
    timed_out = errors.ApiTimeoutError("lost")
    timed_out.__cause__ = TimeoutError("timed out")
    with pytest.raises(errors.ApiTimeoutError) as caught:
        waits.after([timed_out, errors.CircuitOpenError(was_sent=False)])
    assert may_have_arrived(caught.value)
    assert isinstance(caught.value.__cause__, TimeoutError), "the log names what it met"


@pytest.mark.parametrize(
    ("method", "sent", "again"),
    [("POST", True, False), ("POST", False, True), ("PATCH", True, True), ("DELETE", True, True)],
)
def test_without_idempotency_keys_a_post_is_repeated_only_if_it_was_not_sent(
    method: Any, sent: bool, again: bool
) -> None:
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
def test_what_may_have_been_done_although_it_failed(error: errors.ApiError, maybe: bool) -> None:
    assert may_have_arrived(error) is maybe


@pytest.mark.parametrize(
    ("first", "was_done"),
    [
        *((error, True) for error in (unavailable(500), unavailable(504), errors.ApiTimeoutError("no answer"))),
        *((unavailable(status), False) for status in (429, 503, 408)),
        (errors.ApiTimeoutError("no connection", was_sent=False), False),
    ],
)
def test_a_404_to_a_delete_that_is_tried_again_says_that_it_was_done_if_the_first_try_may_have_done_it(
    ada: User, first: errors.ApiError, was_done: bool
) -> None:
    failures = [first, errors.ApiNotFoundError("no such row", status=404)]

    def refuse(method: str, _path: str) -> None:
        if method == "DELETE":
            raise failures.pop(0)

    ada.backend.before = refuse
    error = answering.delete(ada, "c1").error
    assert error is None if was_done else isinstance(error, errors.ApiNotFoundError)
    assert ada.backend.counted()["DELETE", "/energy/clients/c1"] == 2
