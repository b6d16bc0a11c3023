"""The audit log's lines about sign-ins that end because their tokens can't be refreshed."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import pytest

from portal.api.refresh.sealing import family_secret, sign_in_id
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse
from portal.config import limits
from portal.errors import SignInEndedError
from portal.telemetry.audit import audited_request
from tests.support.refresh_world import RefreshWorld


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, object]]]:
    lines: list[dict[str, object]] = []
    monkeypatch.setattr(logging.getLogger("portal.audit"), "handle", lambda record: lines.append(record.audit))
    # Of the last request of this thread, which another test made.
    token = audited_request.set(None)
    yield lines
    audited_request.reset(token)


def test_a_token_that_is_used_again_after_its_time_is_told_each_time(world: RefreshWorld, process, audited) -> None:
    first = world.backend.sign_in()
    tokens = process.refreshed(first)
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


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (InvalidGrant(reason="status 401"), ("failure", "token-refused", "status 401")),
        (NoResponse(reason="ApiTimeoutError", lost=True), ("unavailable", "answer-lost", None)),
    ],
)
def test_a_token_that_is_refused_or_lost_is_told(world: RefreshWorld, pair, audited, answer, told) -> None:
    world.backend.answers, world.backend.repeatable_s = [answer], 0
    with pytest.raises(SignInEndedError):
        world.process().refresh(world.process().request(pair))
    assert [(line["outcome"], line["reason"], line.get("detail")) for line in audited] == [told]
    if isinstance(answer, InvalidGrant):
        with pytest.raises(SignInEndedError):
            world.process().refresh(world.process().request(pair))
        assert len(audited) == 1, "whoever asks later"
