"""An operator ends all sign-ins of a user: those of before end wherever they show up, later ones go on."""

from __future__ import annotations

import pytest

from portal.api.tokens import SignInStatus, TokenPair
from portal.errors import SignInEndedError
from tests.support.refresh_world import RefreshProcess, RefreshWorld, jwt


def test_a_valid_access_token_counts_as_signed_out_in_every_process_and_the_backend_is_told(
    world: RefreshWorld,
) -> None:
    pair, other = world.backend.sign_in(), world.backend.sign_in("somebody else")
    one, two = world.process(), world.process()
    assert two.refresher.sign_in_status(pair) is SignInStatus.ACTIVE
    one.refresher.end_user("user")
    assert two.refresher.sign_in_status(pair) is SignInStatus.SIGNED_OUT
    assert world.backend.revoked == [pair.refresh]
    assert two.refresher.sign_in_status(other) is SignInStatus.ACTIVE
    one.refresher.end_user("user")
    assert two.refresher.sign_in_status(pair) is SignInStatus.SIGNED_OUT, "once more changes nothing"


def test_an_expired_one_is_not_refreshed(world: RefreshWorld, pair, process) -> None:
    process.refresher.end_user("user")
    world.expire()
    request = process.request(pair)
    with pytest.raises(SignInEndedError):
        process.refresh(request)
    assert request.ended
    assert world.backend.submitted == {}
    assert not world.backend.is_signed_in()


def refreshed_before(world: RefreshWorld, process: RefreshProcess) -> TokenPair:
    """The browser has still the token of before."""
    pair = world.backend.sign_in()
    world.expire()
    process.refresh(process.request(pair))
    return pair


def without_access(world: RefreshWorld, process: RefreshProcess) -> TokenPair:
    return TokenPair(refresh=world.backend.sign_in().refresh)


def after_an_earlier_end(world: RefreshWorld, process: RefreshProcess) -> TokenPair:
    process.refresher.end_user("user")
    world.time.advance(1)
    pair = world.backend.sign_in()
    process.refresher.prepare_sign_in(pair)
    return TokenPair(refresh=pair.refresh)


@pytest.mark.parametrize("signed_in", [refreshed_before, without_access, after_an_earlier_end])
def test_so_does_any_other_sign_in_of_before(world: RefreshWorld, process, signed_in) -> None:
    pair = signed_in(world, process)
    world.time.advance(60)
    process.refresher.end_user("user")
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    assert not world.backend.is_signed_in()


def test_a_refresh_that_was_under_way_delivers_nothing(world: RefreshWorld) -> None:
    pair, process, operator = world.backend.sign_in(), world.process(), world.process()
    world.expire()

    def end_then_answer(_: str) -> None:
        operator.refresher.end_user("user")
        world.time.advance(5)

    world.backend.during = end_then_answer
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    assert not world.backend.is_signed_in(), "the pair that it gave is revoked"


def test_a_sign_in_of_afterwards_goes_on_through_its_refreshes(world: RefreshWorld, process) -> None:
    process.refresher.end_user("user")
    world.time.advance(1)
    pair = world.backend.sign_in()
    assert process.refresher.sign_in_status(pair) is SignInStatus.ACTIVE
    for _ in range(3):
        world.expire()
        request = process.refreshed(pair)
        pair = request.current
    assert world.backend.is_signed_in()


def test_one_of_afterwards_whose_access_token_is_lost_before_its_first_refresh_goes_on_too(
    world: RefreshWorld, process
) -> None:
    process.refresher.end_user("user")
    world.time.advance(1)
    pair = world.backend.sign_in()
    process.refresher.prepare_sign_in(pair)
    world.expire()
    request = process.refreshed(TokenPair(refresh=pair.refresh))
    assert request.current.access is not None
    assert world.backend.is_signed_in()


@pytest.mark.parametrize(
    "access",
    ["no token", "x" * 5000, jwt(sub=5, iat=1), jwt(sub="user", iat="soon"), jwt(sub="user", exp=2e9)],
    ids=["no token", "too long", "no subject", "odd time", "no time of issue"],
)
def test_a_token_that_can_not_be_read_or_names_no_time_of_issue_has_not_ended(
    world: RefreshWorld, process, access: str
) -> None:
    process.refresher.end_user("user")
    assert process.refresher.sign_in_status(TokenPair(access=access, refresh="r")) is SignInStatus.ACTIVE
