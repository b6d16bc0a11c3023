"""Records of a token refresh that another release wrote, or that were damaged: no token is submitted twice for them.

Two releases that run at the same time share the records: docs/reference/stored-formats.md.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from portal.api.refresh import token_records
from portal.api.refresh.sealing import record_name, seal, unseal
from portal.api.refresh.token_records import TOKEN_RECORD_FORMAT
from portal.api.tokens import TokenPair, TokenStatus
from portal.errors import ApiUnavailableError, SignInEndedError
from tests.portal.query.test_stored_formats import JSON
from tests.support.refresh_world import LOST, RefreshProcess, RefreshWorld
from tests.support.whole_runs import number_of

TEXTS = JSON.map(json.dumps) | st.text(max_size=12) | st.sampled_from(["", "{", "[1,", '"AAAA', "NaN"])
ANY = settings(max_examples=number_of(40), deadline=None, suppress_health_check=list(HealthCheck))
OF_A_LATER_RELEASE = {"by": "a later release"}


def stored(process: RefreshProcess, kind: str) -> list[str]:
    """The texts of the records of a kind."""
    rows, _ = process.store.backend().database.run("SELECT value FROM entries WHERE key LIKE ?", (f"%:{kind}",))
    return [text for (text,) in rows]


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


def rewrite_family(process: RefreshProcess, pairs: list[TokenPair], change) -> None:
    [text] = stored(process, "family")
    secret = secret_of(process, pairs)
    put(process, "family", Sealed(change(unseal(json.loads(text), under=secret))).json(secret))


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
    @given(content=TEXTS | JSON.map(Sealed), kind=st.sampled_from(["family", "token"]))
    def test_a_token_that_was_submitted_is_never_submitted_again(
        self, world: RefreshWorld, process: RefreshProcess, content: str | Sealed, kind: str
    ) -> None:
        """Also if the record opens and is something else."""
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
        world.backend.answers, world.backend.repeatable_s = [LOST], 0.0
        pair = world.backend.sign_in()
        process.fails(pair)
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


class TestAnotherRelease:
    """A later one may append members; an earlier one wrote no number of the format. Both are read."""

    @pytest.mark.parametrize("change", [lambda content: [*content, OF_A_LATER_RELEASE], lambda content: content[:4]])
    def test_its_rotation_record_is_read(self, world: RefreshWorld, process: RefreshProcess, change) -> None:
        pairs = twice_refreshed(world, process)
        rewrite_family(process, pairs, change)
        assert refresh_all(world, pairs[-1:]) == [TokenStatus.REFRESHED]
        assert set(world.backend.submitted.values()) == {1}

    @pytest.mark.parametrize("change", [lambda content: [*content, OF_A_LATER_RELEASE], lambda content: content[:5]])
    def test_its_submission_is_read(self, world: RefreshWorld, process: RefreshProcess, change) -> None:
        pair = world.backend.sign_in()
        world.backend.answers = [LOST]
        assert refresh_all(world, [pair]) == [TokenStatus.KEPT]
        [text] = stored(process, "started")
        put(process, "started", json.dumps(change(json.loads(text))))
        assert process.refresher._records.get(pair.refresh).started.tries == 1

    def test_its_unknown_outcome_of_this_token_means_later(self, world: RefreshWorld, pair, process) -> None:
        secret = process.refresher._records.get(pair.refresh).secret
        process.store.set(token_records._key(secret, "outcome"), ["resting", record_name(pair.refresh)], lifetime_s=5)
        assert refresh_all(world, [pair]) == [TokenStatus.KEPT]
        assert not world.backend.submitted

    @pytest.mark.parametrize("number", [TOKEN_RECORD_FORMAT + 1, 0, "1", None, [1]])
    def test_an_unknown_format_is_lost_and_the_log_says_so(
        self, world: RefreshWorld, process: RefreshProcess, monkeypatch: pytest.MonkeyPatch, caplog: Any, number: Any
    ) -> None:
        monkeypatch.setattr("portal.store.unknown_values._next_line", {})
        pairs = twice_refreshed(world, process)
        rewrite_family(process, pairs, lambda content: [*content[:4], number, "what only that release knows"])
        assert refresh_all(world, pairs[-1:]) == [TokenStatus.LOST]
        assert max(world.backend.submitted.values()) == 1
        assert caplog.text.count("a record of a token refresh can't be read") == 1
        assert record_name(secret_of(process, pairs)) not in caplog.text
