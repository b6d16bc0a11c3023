"""An operator ends all sign-ins of a user: those of before end wherever they show up, later ones go on."""

import pytest

from portal.api.tokens import TokenPair
from tests.support.refresh_world import RefreshProcess, RefreshWorld, jwt


def test_a_valid_access_token_counts_as_signed_out_in_every_process_and_the_backend_is_told(
    world: RefreshWorld, pair, process, other
) -> None:
    somebody_else = world.backend.sign_in("somebody else")
    assert other.refresher.signed_out_at(pair) is None
    for _ in range(2):  # once more changes nothing
        process.refresher.end_user("user")
        assert other.refresher.signed_out_at(pair) is not None
    assert set(world.backend.revoked) == {pair.refresh}
    assert other.refresher.signed_out_at(somebody_else) is None


def expired(world: RefreshWorld, process: RefreshProcess) -> TokenPair:
    return world.backend.sign_in()


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


@pytest.mark.parametrize("during", [False, True], ids=["ended before", "ended during the call"])
@pytest.mark.parametrize("signed_in", [expired, refreshed_before, without_access, after_an_earlier_end])
def test_no_sign_in_of_before_is_refreshed_nor_does_a_refresh_that_is_under_way_deliver(
    world: RefreshWorld, process, other, signed_in, during: bool
) -> None:
    pair = signed_in(world, process)
    world.expire()
    submitted = dict(world.backend.submitted)

    def end(_: str = "") -> None:
        other.refresher.end_user("user")
        world.time.advance(5)

    if during:
        world.backend.during = end
    else:
        end()
    request = process.fails(pair)
    assert request.ended
    assert not world.backend.is_signed_in(), "any pair that it gave is revoked"
    if signed_in is expired and not during:
        assert world.backend.submitted == submitted, "its token says by itself that it has ended"


@pytest.mark.parametrize("keeps_access", [True, False])
def test_a_sign_in_of_afterwards_goes_on_also_if_its_access_token_is_lost_before_its_first_refresh(
    world: RefreshWorld, process, keeps_access: bool
) -> None:
    process.refresher.end_user("user")
    world.time.advance(1)
    pair = world.backend.sign_in()
    assert process.refresher.signed_out_at(pair) is None
    if not keeps_access:
        process.refresher.prepare_sign_in(pair)
        pair = TokenPair(refresh=pair.refresh)
    for _ in range(3):
        world.expire()
        pair = process.refreshed(pair).current
        assert pair.access is not None
    assert world.backend.is_signed_in()


@pytest.mark.parametrize(
    "access",
    [
        *("no token", "x" * 5000, jwt(sub=5, iat=1), jwt(sub="user", iat="soon"), jwt(sub="user", exp=2e9)),
        jwt(sub="user", iat=10**400),
    ],
    ids=["no token", "too long", "no subject", "odd time", "no time of issue", "no float holds it"],
)
def test_a_token_that_can_not_be_read_or_names_no_time_of_issue_has_not_ended(
    world: RefreshWorld, process, access: str
) -> None:
    process.refresher.end_user("user")
    assert process.refresher.signed_out_at(TokenPair(access=access, refresh="r")) is None
