"""Records of a token refresh that another release wrote, or that were damaged: no token is submitted twice for them.

Two releases that run at the same time share the records: docs/reference/stored-formats.md.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from portal.api.metrics import RefreshOutcome
from portal.api.refresh import token_records
from portal.api.refresh.sealing import seal, unseal
from portal.api.refresh.token_records import TOKEN_RECORD_FORMAT, TokenRecords
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.limits import REFRESH_LOCK_S
from portal.errors import ApiUnavailableError, SignInEndedError
from tests.support.refresh_world import LOST, RefreshProcess, RefreshWorld

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TEXTS = JSON.map(json.dumps) | st.text(max_size=12) | st.sampled_from(["", "{", "[1,", '"AAAA', "NaN"])
ANY = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def stored(process: RefreshProcess, kind: str) -> dict[str, Any]:
    """The texts of the records of a kind, by their names in the file."""
    rows, _ = process.store.backend().database.run("SELECT key, value FROM entries WHERE key LIKE ?", (f"%:{kind}",))
    return dict(rows)


def put(process: RefreshProcess, kind: str, text: Any) -> None:
    process.store.backend().database.run("UPDATE entries SET value = ? WHERE key LIKE ?", (text, f"%:{kind}"))


@dataclass(frozen=True)
class Sealed:
    """The content of a sealed record."""

    content: Any

    def json(self, secret: str | None) -> str:
        return json.dumps(seal(self.content, under=secret or ""))


def secret_of(process: RefreshProcess, pairs: list[TokenPair]) -> str:
    return process.refresher._records.get(pairs[-1].refresh or "").secret


def twice_refreshed(world: RefreshWorld, process: RefreshProcess) -> list[TokenPair]:
    """The pairs of a sign-in, whose newest has expired; nothing else is in the store."""
    process.store.backend().database.run("DELETE FROM entries")
    pairs = [world.backend.sign_in()]
    for _ in range(2):
        tokens = process.refreshed(pairs[-1])
        process.settle()
        pairs.append(tokens.current)
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


def check_refreshed(process: RefreshProcess, tokens: TokenStore) -> None:
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    process.settle()


class TestWhateverLiesThere:
    @ANY
    @given(content=TEXTS | JSON.map(Sealed), kind=st.sampled_from(["family", "token"]))
    def test_a_token_that_was_submitted_is_never_submitted_again(
        self, world: RefreshWorld, process: RefreshProcess, content: str | Sealed, kind: str
    ) -> None:
        """Also if the record opens and is something else."""
        world.backend.submitted.clear()
        pairs = twice_refreshed(world, process)
        if isinstance(content, Sealed):
            put(process, kind, content.json(secret_of(process, pairs) if kind == "family" else pairs[-1].refresh))
            refresh_all(world, pairs)
        else:
            put(process, kind, content)
            statuses = refresh_all(world, pairs)
            assert TokenStatus.KEPT not in statuses, "no state is 503 for as long as the record lasts"
        assert max(world.backend.submitted.values()) == 1

    @ANY
    @given(text=TEXTS)
    def test_nor_a_token_whose_submission_cannot_be_read(
        self, world: RefreshWorld, process: RefreshProcess, text: str
    ) -> None:
        world.backend.submitted.clear()
        pair = world.backend.sign_in()
        world.backend.lose = 1
        world.backend.repeatable_s = 0.0
        with pytest.raises(SignInEndedError):
            process.refresh(process.request(pair))
        process.settle()
        assert stored(process, "started")
        put(process, "started", text)
        assert refresh_all(world, [pair]) == [TokenStatus.LOST]
        assert world.backend.submitted.total() == 1

    @ANY
    @given(text=TEXTS, kind=st.sampled_from(["lock", "outcome", "signed-out"]))
    def test_the_short_records_end_by_themselves(
        self, world: RefreshWorld, process: RefreshProcess, text: str, kind: str
    ) -> None:
        # What may name a token is the outcome of another one, which counts for nothing.
        assume(not text.startswith('["'))
        pair = world.backend.sign_in()
        secret = process.refresher._records.get(pair.refresh).secret
        process.store.set(token_records._key(secret, kind), "text", lifetime_s=15)
        put(process, kind, text)
        [status] = refresh_all(world, [pair])
        assert status is (TokenStatus.ENDED if kind == "signed-out" else TokenStatus.KEPT)
        world.time.advance(16)
        assert refresh_all(world, [pair]) == [TokenStatus.REFRESHED]

    def test_a_sign_out_still_works(self, world: RefreshWorld, process: RefreshProcess) -> None:
        for kind in ("family", "token", "started"):
            pairs = twice_refreshed(world, process)
            put(process, kind, "{")
            tokens = process.request(pairs[-1])
            process.refresher.sign_out(tokens)
            assert tokens.status is TokenStatus.CLEARED
            assert world.backend.revoked[-1] == pairs[-1].refresh
            assert refresh_all(world, pairs[-1:]) == [TokenStatus.ENDED], kind


class TestALaterRelease:
    """It may append members. A format that this release does not know is never taken for one that it knows."""

    @pytest.fixture
    def appending(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        def run(work: Callable[[], object]) -> None:
            with monkeypatch.context() as patched:
                patched.setattr(token_records, "seal", lambda content, *, under: seal(longer(content), under=under))
                patched.setattr(TokenRecords, "mark_started", mark_longer)
                work()

        def longer(content: Any) -> Any:
            return [*content, {"by": "a later release"}] if isinstance(content, list) else content

        as_now = TokenRecords.mark_started

        def mark_longer(records: TokenRecords, secret: str, **given: Any) -> None:
            as_now(records, secret, **given)
            key = token_records._key(secret, "started")
            records._store.set(key, longer(records._store.get(key)), lifetime_s=600)

        return run

    def test_both_go_on_with_each_others_records(
        self, world: RefreshWorld, process: RefreshProcess, appending: Callable[[Callable[[], object]], None]
    ) -> None:
        held = world.backend.sign_in()
        other = world.process()
        for number in range(8):
            tokens = (other if number % 2 else process).request(held)
            refreshes = partial(check_refreshed, other if number % 2 else process, tokens)
            appending(refreshes) if number % 2 else refreshes()
            # The other release gives the same pair to who still has the old one.
            late = (process if number % 2 else other).request(held)
            assert (process if number % 2 else other).refresh(late) is RefreshOutcome.FROM_RECORD
            assert late.current == tokens.current
            held = tokens.current
            world.expire()
        assert set(world.backend.submitted.values()) == {1}

    def test_a_submission_of_the_later_one_is_not_repeated_by_the_earlier(
        self, world: RefreshWorld, process: RefreshProcess, appending: Callable[[Callable[[], object]], None]
    ) -> None:
        pair, other = world.backend.sign_in(), world.process()
        world.backend.repeatable_s = 0.0
        appending(lambda: world.backend.die_during_the_call(other, pair))
        assert len(json.loads(next(iter(stored(process, "started").values())))) == 7
        world.time.advance(REFRESH_LOCK_S + 1)
        assert refresh_all(world, [pair]) == [TokenStatus.LOST]
        assert world.backend.submitted.total() == 1

    @pytest.mark.parametrize("number", [TOKEN_RECORD_FORMAT + 1, 0, "1", None, [1]])
    def test_an_unknown_format_is_lost_and_the_log_says_so(
        self, world: RefreshWorld, process: RefreshProcess, monkeypatch: pytest.MonkeyPatch, caplog: Any, number: Any
    ) -> None:
        monkeypatch.setattr("portal.store.unknown_values._next_line", {})
        pairs = twice_refreshed(world, process)
        [(name, text)] = stored(process, "family").items()
        secret = secret_of(process, pairs)
        content = unseal(json.loads(text), under=secret)
        put(process, "family", Sealed([*content[:4], number, "what only that release knows"]).json(secret))
        assert refresh_all(world, pairs[-1:]) == [TokenStatus.LOST]
        assert max(world.backend.submitted.values()) == 1
        assert caplog.text.count("a record of a token refresh can't be read") == 1
        assert name.partition(":family")[0].rpartition(":")[2] not in caplog.text

    def test_records_of_before_there_was_a_number_are_read(self, world: RefreshWorld, process: RefreshProcess) -> None:
        pairs = twice_refreshed(world, process)
        [text] = stored(process, "family").values()
        secret = secret_of(process, pairs)
        put(process, "family", Sealed(unseal(json.loads(text), under=secret)[:4]).json(secret))
        world.backend.answers = [LOST]
        assert refresh_all(world, pairs[-1:]) == [TokenStatus.KEPT]
        [text] = stored(process, "started").values()
        put(process, "started", json.dumps(json.loads(text)[:5]))
        assert process.refresher._records.get(pairs[-1].refresh).started.tries == 1
