"""The audit log's lines about sign-ins that end because their tokens can't be refreshed."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import family_secret, sign_in_id
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse
from portal.config import limits
from portal.errors import SignInEndedError
from portal.telemetry.audit import audited_request
from tests.support.refresh_world import RefreshWorld


class Audited(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.audit)  # type: ignore[attr-defined]  # given as `extra`


@pytest.fixture
def audited() -> Iterator[list[dict[str, object]]]:
    handler, logger = Audited(), logging.getLogger("portal.audit")
    logger.addHandler(handler)
    # Of the last request of this thread, which another test made.
    token = audited_request.set(None)
    yield handler.lines
    audited_request.reset(token)
    logger.removeHandler(handler)


def test_a_token_that_is_used_again_after_its_time_is_told_each_time(world: RefreshWorld, audited) -> None:
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    process.refresh(process.request(tokens.current))
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    assert audited == []
    for _ in range(2):
        with contextlib.suppress(SignInEndedError):
            process.refresh(process.request(first))
    line = {
        "event": "refresh",
        "outcome": "failure",
        "reason": "token-reused",
        "sign_in": sign_in_id(family_secret(first.refresh or "")),
    }
    assert audited == [line, line]


def test_a_refused_token_is_told_once_whoever_asks_later(world: RefreshWorld, audited) -> None:
    pair = world.backend.sign_in()
    world.backend.answers = [InvalidGrant(reason="status 401")]
    for process in (world.process(), world.process()):
        with contextlib.suppress(SignInEndedError):
            process.refresh(process.request(pair))
    (line,) = audited
    assert (line["reason"], line["detail"]) == ("token-refused", "status 401")


def test_a_lost_answer(world: RefreshWorld, audited) -> None:
    pair = world.backend.sign_in()
    world.backend.answers = [NoResponse(reason="ApiTimeoutError", lost=True)]
    world.backend.repeatable_s = 0
    process = world.process()
    with contextlib.suppress(SignInEndedError):
        process.refresh(process.request(pair))
    assert process.counters.snapshot()[RefreshOutcome.LOST] == 1
    assert [(line["outcome"], line["reason"]) for line in audited] == [("unavailable", "answer-lost")]
