"""What is submitted, and what ends a sign-in (token-refresh, I1 to I4). Interleavings are scripted."""

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import family_secret, sign_in_id
from portal.api.refresh.token_endpoint import InvalidGrant
from portal.api.tokens import TokenStatus
from portal.config.limits import REQUEST_BUDGET_S, ROTATION_GRACE_S
from portal.errors import ApiUnavailableError
from tests.support.refresh_world import UNANSWERED, RefreshWorld


def test_1_but_after_a_503_the_token_is_submitted_again_not_before_a_second(world: RefreshWorld, pair, process, other):
    world.backend.answers = [UNANSWERED]
    for asked, after_s in ((process, 0), (other, 0.9)):
        world.time.advance(after_s)
        asked.fails(pair, ApiUnavailableError)
    assert world.backend.submitted[pair.refresh] == 1
    world.time.advance(0.2)
    assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.is_signed_in()


def test_1_request_submits_a_token_twice_at_most(world: RefreshWorld, pair, process):
    world.backend.answers = [UNANSWERED] * 4
    tokens = process.request(pair)
    for after_s in (0.5, 0.6) * 3:  # each second one learns of the one before from its record
        with pytest.raises(ApiUnavailableError):
            process.refresh(tokens)
        process.settle()
        world.time.advance(after_s)
    assert world.backend.submitted == {pair.refresh: 2}
    # A command has the same tokens for as long as it runs.
    world.time.advance(REQUEST_BUDGET_S)
    world.backend.answers = []
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED


def test_2_no_post_for_a_token_that_has_a_successor(world: RefreshWorld, pair, process, other):
    tokens = process.request(pair)
    for _ in range(3):
        world.expire()
        process.refresh(tokens)
    late = other.request(pair)
    assert other.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current
    assert sorted(world.backend.submitted.values()) == [1, 1, 1]


def test_2_successor_that_came_meanwhile_counts(world: RefreshWorld, pair, process, other):
    """Another process finishes between this one's look and its record."""
    records = process.refresher._records
    replace = records.replace

    def replace_after_the_other_has_finished(*args, **options) -> bool:
        records.replace = replace
        other.refresh(other.request(pair))
        other.settle()
        return replace(*args, **options)

    records.replace = replace_after_the_other_has_finished
    process.refreshed(pair)
    assert world.backend.submitted == {pair.refresh: 1}
    assert world.backend.is_signed_in()


@pytest.mark.parametrize("slept_s", [0, 3 * 24 * 3600])
def test_2_a_token_replaced_long_ago_is_not_submitted_again_and_told_each_time(
    world: RefreshWorld, pair, process, caplog, slept_s: int
):
    tokens = process.refreshed(pair)
    world.expire()
    world.time.advance(slept_s)
    process.refresh(process.request(tokens.current))
    world.time.advance(ROTATION_GRACE_S - 1)
    assert process.refresh(process.request(pair)) is RefreshOutcome.FROM_RECORD
    world.time.advance(2)
    for _ in range(2):
        process.fails(pair)
    assert process.counts()[RefreshOutcome.REPLAY_SEEN] == 2
    assert world.backend.submitted[pair.refresh] == 1
    assert world.backend.is_signed_in()
    audited = [record.audit for record in caplog.records if record.name == "portal.audit"]
    told = ("failure", "token-reused", sign_in_id(family_secret(pair.refresh)))
    assert [(line["outcome"], line["reason"], line["sign_in"]) for line in audited] == [told, told]


@pytest.mark.parametrize("repeatable_s", [120, 0])
def test_3_nobody_is_signed_out_because_someone_else_won(world: RefreshWorld, pair, process, other, repeatable_s: int):
    world.backend.repeatable_s = repeatable_s
    tokens, outcomes = other.request(pair), []

    def the_loser_asks_meanwhile(_: str) -> None:
        with pytest.raises(ApiUnavailableError) as caught:
            other.refresh(tokens)
        outcomes.append((caught.value.retry_after, tokens.status, tokens.current))

    world.backend.during = the_loser_asks_meanwhile
    winning = process.request(pair)
    assert process.refresh(winning) is RefreshOutcome.REFRESHED
    assert outcomes == [(1.0, TokenStatus.KEPT, pair)]
    assert other.refresh(tokens) is RefreshOutcome.FROM_RECORD
    assert tokens.current == winning.current


def test_4_cookies_are_cleared_when_the_backend_failed_the_head_which_is_forgotten_after_30_s(
    world: RefreshWorld, pair, process, other
):
    newest = process.refreshed(pair).current
    world.expire()
    world.backend.answers = [InvalidGrant(reason="status 403")]
    # The outcome is remembered: nobody asks again for a while, and every holder learns it.
    for asked, held, after_s in ((other, pair, 0), (process, newest, 29)):
        world.time.advance(after_s)
        late = asked.fails(held)
        assert late.ended
    assert world.backend.submitted == {pair.refresh: 1, newest.refresh: 1}
    world.time.advance(2)
    assert process.refresh(process.request(newest)) is RefreshOutcome.REFRESHED
