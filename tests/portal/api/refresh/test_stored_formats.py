"""Records of a token refresh that another release wrote, or that were damaged: no token is submitted twice for them.

Two releases that run at the same time share the records: docs/reference/stored-formats.md.
"""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.api.refresh.sealing import record_name
from portal.api.tokens import TokenPair, TokenStatus
from portal.errors import ApiUnavailableError, SignInEndedError
from tests.portal.query.test_stored_formats import JSON
from tests.support.refresh_world import LOST, RefreshProcess, RefreshWorld
from tests.support.whole_runs import number_of

TEXTS = JSON.map(json.dumps) | st.text(max_size=12) | st.sampled_from(["", "{", "[1,", '{"sign_in": 5}', "NaN"])
ANY = settings(max_examples=number_of(40), deadline=None, suppress_health_check=list(HealthCheck))


def key_of(pair: TokenPair) -> str:
    return f"{record_name(pair.refresh or '')}:record"


def put(process: RefreshProcess, pair: TokenPair, text: str) -> None:
    """Have this text in place of a token's record."""
    process.store.set(key_of(pair), 0, lifetime_s=3600)
    process.store.backend().database.run("UPDATE entries SET value = ? WHERE key LIKE ?", (text, f"%{key_of(pair)}"))


def twice_refreshed(world: RefreshWorld, process: RefreshProcess) -> list[TokenPair]:
    """The pairs of a sign-in, whose newest has expired; nothing else is in the store."""
    process.store.backend().database.run("DELETE FROM entries")
    world.backend.submitted.clear()
    pairs = [world.backend.sign_in()]
    for _ in range(2):
        pairs.append(process.refreshed(pairs[-1]).current)
        process.settle()
        world.expire()
    return pairs


def refresh_all(world: RefreshWorld, pairs: list[TokenPair]) -> list[TokenStatus]:
    """Refresh by each pair in a new process; an expected end, or a wait, is no error."""
    seen = []
    for pair in pairs:
        process = world.process()
        tokens = process.request(pair)
        with contextlib.suppress(SignInEndedError, ApiUnavailableError):
            process.refresh(tokens)
        process.settle()
        seen.append(tokens.status)
    return seen


class TestWhateverLiesThere:
    @ANY
    @given(text=TEXTS, number=st.sampled_from([0, 1, 2]))
    def test_a_token_that_was_submitted_is_never_submitted_again(
        self, world: RefreshWorld, process: RefreshProcess, text: str, number: int
    ) -> None:
        pairs = twice_refreshed(world, process)
        put(process, pairs[number], text)
        statuses = refresh_all(world, pairs)
        assert TokenStatus.KEPT not in statuses, "no state is 503 for as long as the record lasts"
        assert statuses[number] is TokenStatus.LOST
        assert set(world.backend.submitted.values()) == {1}

    @ANY
    @given(text=TEXTS)
    def test_nor_a_token_whose_submission_cannot_be_read(
        self, world: RefreshWorld, process: RefreshProcess, text: str
    ) -> None:
        world.backend.submitted.clear()
        world.backend.answers, world.backend.repeatable_s = [LOST], 0.0
        pair = world.backend.sign_in()
        process.fails(pair)
        put(process, pair, text)
        assert refresh_all(world, [pair]) == [TokenStatus.LOST]
        assert world.backend.submitted.total() == 1

    def test_a_sign_out_still_works(self, world: RefreshWorld, process: RefreshProcess) -> None:
        for number in range(3):
            pairs = twice_refreshed(world, process)
            put(process, pairs[number], "{")
            tokens = process.request(pairs[-1])
            process.refresher.sign_out(tokens)
            assert tokens.status is TokenStatus.CLEARED
            assert world.backend.revoked[-1] == pairs[-1].refresh
            assert refresh_all(world, pairs[-1:]) == [TokenStatus.ENDED], number

    def test_seal_that_does_not_open_is_signed_out_at_the_backend(
        self, world: RefreshWorld, process: RefreshProcess
    ) -> None:
        pairs = twice_refreshed(world, process)
        stored = process.store.get(key_of(pairs[0]))
        process.store.set(key_of(pairs[0]), stored | {"next": "damaged"}, lifetime_s=3600)
        assert not process.refresher.sign_out(process.request(pairs[0])).is_marked
        assert world.backend.revoked[-1] == pairs[0].refresh


class TestALaterRelease:
    def test_may_append_members(self, world: RefreshWorld, process: RefreshProcess) -> None:
        pairs = twice_refreshed(world, process)
        for pair in pairs:
            stored = process.store.get(key_of(pair))
            process.store.set(key_of(pair), stored | {"by": "a later release"}, lifetime_s=3600)
        assert refresh_all(world, pairs[1:]) == [TokenStatus.REFRESHED] * 2
        assert set(world.backend.submitted.values()) == {1}

    def test_state_that_it_alone_knows_is_lost_and_logged(
        self, world: RefreshWorld, process: RefreshProcess, monkeypatch: pytest.MonkeyPatch, caplog: Any
    ) -> None:
        monkeypatch.setattr("portal.store.unknown_values._next_line", {})
        pairs = twice_refreshed(world, process)
        process.store.set(key_of(pairs[-1]), {"sign_in": "", "state": "resting"}, lifetime_s=3600)
        assert refresh_all(world, pairs[-1:]) == [TokenStatus.LOST]
        assert world.backend.submitted[pairs[-1].refresh] == 0
        assert caplog.text.count("a record of a token refresh can't be read") == 1
        assert key_of(pairs[-1]) not in caplog.text
