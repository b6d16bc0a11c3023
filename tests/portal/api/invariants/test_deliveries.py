"""Who receives which tokens, and who none (token-refresh, I5 to I8). Interleavings are scripted."""

import pytest

from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_endpoint import InvalidGrant
from portal.api.tokens import NO_TOKENS, TokenPair, TokenStatus, TokenStore
from portal.errors import SignInEndedError
from tests.support.forks import at_once
from tests.support.refresh_world import RefreshWorld, jwt, unavailable


def test_5_all_responses_of_a_generation_carry_identical_tokens(world: RefreshWorld, pair):
    processes = [world.process() for _ in range(4)]
    for _ in range(3):
        given = {process.refresher.tokens_to_set(process.refreshed(pair)) for process in processes}
        assert len(given) == 1
        pair = given.pop()
        world.expire()


def test_6_no_response_delivers_an_older_generation_than_the_known_head_nor_any_while_that_is_unknown(
    world: RefreshWorld, pair, process, other
):
    slow_tokens = process.refreshed(pair)
    # Before the slow response is written, the browser has the next generation already.
    world.expire()
    fast_tokens = other.refreshed(slow_tokens.current)
    assert process.refresher.tokens_to_set(slow_tokens) == fast_tokens.current
    process.store.get_many = unavailable
    assert process.refresher.tokens_to_set(slow_tokens) is None


@pytest.mark.parametrize("backend_knows", [False, True])
def test_7_a_sign_out_during_the_refresh_is_not_undone(
    world: RefreshWorld, *, pair, process, other, backend_knows: bool
):
    """The backend may not know of the sign-out in time, and grant new tokens."""

    def sign_out(_) -> None:
        other.refresher.sign_out(other.request(pair))
        world.time.advance(1)

    world.backend.during = sign_out
    if not backend_knows:
        world.backend.revoke = lambda *, refresh, **_: world.backend.revoked.append(refresh)
    tokens, signed_out_at = process.request(pair), world.time()
    with pytest.raises(SignInEndedError):
        process.refresh(tokens)
    process.settle()
    # The browser was told then: by now its cookies may be others.
    assert (tokens.ended, tokens.known_since) == (True, signed_out_at)
    assert process.refresher.tokens_to_set(process.request(pair)) is None
    # The tokens that nobody may have were revoked as well.
    assert len(world.backend.revoked) == (1 if backend_knows else 2)
    assert [refresh == pair.refresh for refresh in world.backend.revoked] == [True, False][: 2 - backend_knows]


def test_7_others_learn_since_when_a_sign_in_has_been_rejected(world: RefreshWorld, pair, process, other):
    world.backend.answers = [InvalidGrant(reason="status 401")]
    rejected_at = world.time()
    for asked, known_since in ((process, None), (other, rejected_at)):
        tokens = asked.fails(pair)
        process.settle()
        assert tokens.known_since == known_since
        world.time.advance(1)


@pytest.mark.parametrize(
    ("by", "holder"),
    [
        *(("older", holder) for holder in ("newest", "older", "newest access alone", "older access alone")),
        *(("newest", holder) for holder in ("newest", "older", "newest access alone")),
    ],
)
def test_7_a_valid_token_that_was_signed_out_is_refused_without_asking_the_backend(
    world: RefreshWorld, *, pair, process, other, by: str, holder: str
):
    newest = process.refreshed(pair).current
    process.refresher.sign_out(process.request(pair if by == "older" else newest))
    held = pair if holder.startswith("older") else newest
    replayed = TokenPair(access=held.access) if holder.endswith("alone") else held
    assert other.refresher.signed_out_at(replayed) is not None
    world.time.advance(20 * 24 * 3600)
    if replayed.refresh is not None:
        late = other.fails(replayed)
        assert late.ended
    assert world.backend.submitted == {pair.refresh: 1}


def test_7_a_token_that_is_over_by_our_clock_alone_leaves_a_tombstone_too_and_that_of_another_sign_in_none(
    world: RefreshWorld, process
):
    pair = TokenPair(access="a", refresh=jwt(exp=world.time() - 5))
    process.refresher.sign_out(process.request(pair))
    assert process.refresher.signed_out_at(pair) is not None
    assert process.refresher.signed_out_at(world.backend.sign_in()) is None
    process.store._do = unavailable
    assert process.refresher.signed_out_at(pair) is None


def test_8_tokens_of_one_user_never_reach_another(world: RefreshWorld):
    pairs = {name: world.backend.sign_in(name) for name in ("ada", "bob", "cyd")}
    processes = [world.process(real_waits=True), world.process(real_waits=True)]

    def ask(number: int) -> tuple[str, TokenPair]:
        name = list(pairs)[number % 3]
        tokens = TokenStore(pairs[name])
        processes[number % 2].refresh(tokens)
        return name, tokens.current

    for name, pair in at_once(18, ask):
        assert pair.refresh is not None
        assert f"refresh-{name}-" in pair.refresh
    assert set(world.backend.submitted.values()) == {1}


def test_8_a_record_that_was_put_in_another_ones_place_does_not_open(world: RefreshWorld, process):
    ada, eve = world.backend.sign_in("ada"), world.backend.sign_in("eve")
    process.refresh(process.request(eve))
    stolen = process.store.get(f"{record_name(eve.refresh)}:record")
    process.store.set(f"{record_name(ada.refresh)}:record", stolen, lifetime_s=60)
    tokens = process.fails(ada)
    assert tokens.status is TokenStatus.LOST, "ADR 49: nobody can tell what became of the token"
    assert tokens.current in {ada, NO_TOKENS}, "nothing of the other sign-in was delivered"
    assert world.backend.submitted[ada.refresh] == 0
