"""Records that the release before has written: nobody has to sign in again, and no token is submitted twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import family_secret, record_name, seal, sign_in_id
from portal.api.refresh.token_endpoint import TokensIssued
from portal.api.tokens import TokenPair, TokenStatus
from portal.errors import ApiUnavailableError
from portal.process.deadline import Deadline
from portal.store import MISSING
from tests.portal.api.refresh.test_stored_formats import ANY, refresh_all
from tests.support.refresh_world import MAX_AGE_S, RefreshProcess, RefreshWorld, jwt

#: Entries of that release: a sign-in that was refreshed twice, with the tokens of :class:`RefreshWorld`.
RECORDS = {
    "f30b95c2e3f977b2745cf85915fcef2d:token": (
        "vGswz1R5F+afPkA7Zh2T94EUFeDITPgJNYiJJIwQikrwojRW8ukGD5PmrOHHN/fb6Shhf68b3UyN+iBBGy7DjVALOFs0CQ=="
    ),
    "f49d8fef08cc0c770bec1e4fef23e413:token": (
        "972GeE5YX5ok2sZYI5R5a+aVHv2n0r0HZqPj0hiTT3EIgOIdM/8mFNcaePOXQneYQexmy5DDOI2I7WJHYmzyfPg/uBMIrQ=="
    ),
    "eb34bf77103814db2b37b5c2e90255b6:family": (
        "sIwn7DZlntJgQfhL+N+j3BUxNxxpNvUUwa222pC5HifNHnF3OUVBcr8y2YTmBlJdfcveUeQQDSjdzermhSc3CDtDrafZfaJM4MYg9CCu3yt0"
        "v2x/eWkKmYp3J2P/bY1lAMZDSznn3tqEFYqIKf5WZOpTvJaCbhL9alIu9k2nkJLHQ/odRBJdl/hBJnhOgvQ7tb43qlM0M/MlliHl2EF3pHFe"
        "chZ8cA+vXzrCa/Yl3KUVqD5Gx+Oy/SAob2mL5x03leN2MD997tvyZzNwbLZbDdj9I1mWx5o6eSIaUjBEvEffwulKN3LVvMzLSr/CiGF9+jpS"
        "sr275V4IZ78="
    ),
}

#: No list that begins with a text, which may be about another token.
VALUES = st.none() | st.integers() | st.text(max_size=12) | st.lists(st.integers(), max_size=7)


def put(process: RefreshProcess, secret: str, **values: object) -> None:
    """Write entries of that release; the names of the parameters are their kinds."""
    for kind, value in values.items():
        process.store.set(f"{record_name(secret)}:{kind.replace('_', '-')}", value, lifetime_s=MAX_AGE_S)


def submit(world: RefreshWorld, process: RefreshProcess, pair: TokenPair) -> None:
    """Refresh this token, the first that the other release knows, as that one."""
    new = world.backend.submit(refresh=pair.refresh, deadline=Deadline(1), request_id=None).pair
    secret = family_secret(pair.refresh)
    content = [new.access, new.refresh, world.time(), [[record_name(pair.refresh), None]], 1]
    put(process, secret, family=seal(content, under=secret))
    put(process, new.refresh, token=seal(secret, under=new.refresh))


@pytest.fixture
def pairs(world: RefreshWorld, process: RefreshProcess) -> list[TokenPair]:
    """The pairs of the sign-in whose records these are; the newest has expired."""
    pairs = [world.backend.sign_in()]
    for _ in range(2):
        world.expire()
        refresh = pairs[-1].refresh or ""
        pairs.append(world.backend.submit(refresh=refresh, deadline=Deadline(1), request_id=None).pair)
    for key, value in RECORDS.items():
        process.store.set(key, value, lifetime_s=MAX_AGE_S)
    world.backend.submitted.clear()
    return pairs


def test_tokens_of_its_sign_ins_are_refreshed(world: RefreshWorld, process: RefreshProcess, pairs) -> None:
    assert process.refreshed(pairs[1]).current == pairs[2], "another tab still had the pair of before"
    assert not world.backend.submitted
    world.expire()
    newest = process.refreshed(pairs[2]).current
    assert newest.refresh not in {pair.refresh for pair in pairs}
    assert process.refreshed(pairs[1]).current == newest, "from its record to one of this release"
    assert world.backend.submitted == {pairs[2].refresh: 1}


def test_replaced_long_ago_stays_a_replay(world: RefreshWorld, process: RefreshProcess, pairs) -> None:
    world.expire()
    assert process.fails(pairs[0]).ended
    assert process.counts() == {RefreshOutcome.REPLAY_SEEN: 1}
    assert not world.backend.submitted


def test_sign_in_keeps_its_name(process: RefreshProcess, pairs) -> None:
    walk = process.refresher._records.newest(pairs[1].refresh)
    assert walk.record.sign_in == sign_in_id(family_secret(pairs[0].refresh))


def test_sign_out_ends_all_of_it(world: RefreshWorld, process: RefreshProcess, other, pairs) -> None:
    process.refresher.sign_out(process.request(pairs[2]))
    assert refresh_all(world, pairs[1:]) == [TokenStatus.ENDED] * 2
    assert other.refresher.signed_out_at(pairs[2]) is not None


@pytest.mark.parametrize(
    ("last_at_s", "status"), [(None, TokenStatus.LOST), (-5, TokenStatus.KEPT), (-20, TokenStatus.LOST)]
)
def test_unknown_outcome_stays_one(
    world: RefreshWorld, process: RefreshProcess, pairs, last_at_s: float | None, status: TokenStatus
) -> None:
    world.expire()
    world.backend.repeatable_s, now = 0, world.time()
    last_at, secret = last_at_s and now + last_at_s, family_secret(pairs[0].refresh)
    put(process, secret, started=[record_name(pairs[2].refresh), now - 3600.0, last_at, 1, "owner", 1])
    assert refresh_all(world, [pairs[2]]) == [status]
    assert not world.backend.submitted


def test_submission_of_an_older_token_counts_for_nothing(world: RefreshWorld, process, pairs) -> None:
    world.expire()
    name = record_name(pairs[1].refresh)
    put(process, family_secret(pairs[0].refresh), started=[name, 0.0, None, 1, "owner", 1], outcome=["failed", name, 0])
    assert refresh_all(world, [pairs[2]]) == [TokenStatus.REFRESHED]


def test_failure_is_remembered(world: RefreshWorld, process: RefreshProcess, pairs) -> None:
    world.expire()
    failed = ["failed", record_name(pairs[2].refresh), world.time()]
    put(process, family_secret(pairs[0].refresh), outcome=failed)
    assert process.fails(pairs[2]).known_since == world.time()
    assert not world.backend.submitted


def test_tombstone_ends_the_sign_in(world: RefreshWorld, process: RefreshProcess, pairs) -> None:
    put(process, family_secret(pairs[0].refresh), signed_out=1.5)
    assert process.refresher.signed_out_at(pairs[2]) == 1.5
    assert refresh_all(world, pairs[1:]) == [TokenStatus.ENDED] * 2


@pytest.mark.parametrize(
    "changed",
    [{4: 2}, {1: None}, {0: None}, {2: "soon"}, {1: "another", 3: [5]}],
    ids=["format", "refresh", "access", "since", "older"],
)
def test_family_that_can_not_be_read_is_lost(world: RefreshWorld, process: RefreshProcess, pairs, changed) -> None:
    secret = family_secret(pairs[0].refresh)
    content = ["access", pairs[2].refresh, 1.0, [], 1]
    sound = dict(enumerate(content))
    put(process, secret, family=seal([*(sound | changed).values()], under=secret))
    assert refresh_all(world, [pairs[2]]) == [TokenStatus.LOST]
    assert not world.backend.submitted


@ANY
@given(value=VALUES, kind=st.sampled_from(["token", "family", "started"]))
def test_damaged_entry_has_no_token_submitted(world: RefreshWorld, process: RefreshProcess, value, kind: str) -> None:
    process.store.backend().database.run("DELETE FROM entries")
    world.backend.submitted.clear()
    pair = world.backend.sign_in()
    put(process, pair.refresh if kind == "token" else family_secret(pair.refresh), **{kind: value})
    assert refresh_all(world, [pair]) == [TokenStatus.LOST]
    assert not world.backend.submitted


def test_token_that_is_issued_again_loses_them(world: RefreshWorld, process: RefreshProcess, pairs) -> None:
    process.refresher.prepare_sign_in(pairs[0])
    assert process.refresher._records.newest(pairs[0].refresh).passed == (pairs[0].refresh,)


class TestBothReleasesAtOnce:
    def test_submitted_token_is_locked_for_the_other(self, process: RefreshProcess, other, pairs, world) -> None:
        """It waits for a lock, and answers 503 while it is another's."""
        world.expire()
        process.refreshed(pairs[2])
        lock = f"{record_name(family_secret(pairs[0].refresh))}:lock"
        assert process.store.get(lock) is not MISSING
        world.time.advance(3000)
        assert not process.store.add(lock, "the other release", lifetime_s=15)

    def test_token_that_the_other_submits_waits(self, world: RefreshWorld, process: RefreshProcess, pairs) -> None:
        world.expire()
        secret = family_secret(pairs[0].refresh)
        put(process, secret, lock="the other release")
        tokens = process.fails(pairs[2], ApiUnavailableError)
        assert tokens.status is TokenStatus.KEPT
        assert not world.backend.submitted

    def test_token_is_submitted_again_by_this_one(self, world: RefreshWorld, process: RefreshProcess, pair) -> None:
        world.backend.honours_key, world.backend.lose = True, 1
        process.fails(pair, ApiUnavailableError)
        world.time.advance(2)
        assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED

    @pytest.mark.parametrize("issued_here", [True, False])
    def test_token_replaced_by_the_other_stays(
        self, world: RefreshWorld, process: RefreshProcess, pair, issued_here: bool
    ) -> None:
        if issued_here:
            pair = process.refreshed(pair).current
            world.expire()
        submit(world, process, pair)
        expected = process.refreshed(pair).current
        assert expected.refresh not in {None, pair.refresh}
        assert world.backend.submitted[pair.refresh] == 1

    def test_submission_of_the_other_meanwhile_counts(self, world: RefreshWorld, process: RefreshProcess, pair) -> None:
        """It has given its lock back by then."""
        records = process.refresher._records
        begin = records.begin

        def begin_after_the_other(*args, **options) -> bool:
            records.begin = begin
            submit(world, process, pair)
            return begin(*args, **options)

        records.begin = begin_after_the_other
        process.refreshed(pair)
        assert world.backend.submitted == {pair.refresh: 1}

    def test_submission_of_the_other_whose_outcome_is_unknown_ends(
        self, world: RefreshWorld, process: RefreshProcess, pair
    ) -> None:
        newest = process.refreshed(pair).current
        world.expire()
        world.backend.honours_key = True
        started = [record_name(newest.refresh), world.time() - 30, None, 1, "owner", 1]
        put(process, family_secret(newest.refresh), started=started)
        assert process.refresh(process.request(newest)) is RefreshOutcome.REFRESHED

    def test_answer_of_this_one_is_later_than_a_doubt(self, world: RefreshWorld, process, other, pair) -> None:
        """A backend that does not rotate: what the other release left of the token stays in the store."""
        world.backend.honours_key = True
        started = [record_name(pair.refresh), world.time() - 30, None, 1, "owner", 1]
        put(process, family_secret(pair.refresh), started=started)
        same = TokenPair(access=jwt(exp=world.time() + 300), refresh=pair.refresh)
        world.backend.answers = [TokensIssued(pair=same)] * 2
        assert process.refreshed(pair).current == same
        assert other.refreshed(pair).current == same
        assert world.backend.submitted[pair.refresh] == 1

    @pytest.mark.parametrize("issued_here", [True, False])
    def test_sign_out_is_seen_by_the_other(self, world: RefreshWorld, process, pair, issued_here: bool) -> None:
        newest = process.refreshed(pair).current if issued_here else pair
        process.refresher.sign_out(process.request(newest))
        assert process.store.get(f"{record_name(family_secret(newest.refresh))}:signed-out") == world.time()

    def test_sign_out_of_the_other_is_seen(self, world: RefreshWorld, process, pair) -> None:
        newest = process.refreshed(pair).current
        put(process, family_secret(newest.refresh), signed_out=world.time())
        assert process.fails(pair).ended

    def test_outcome_that_can_not_be_read_is_none(self, process: RefreshProcess, pair) -> None:
        put(process, family_secret(pair.refresh), outcome=["failed", record_name(pair.refresh), None])
        assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
