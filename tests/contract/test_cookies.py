"""The names of the cookies, which the contract promises (section 4). All other tests import them."""

from portal.config import cookies

NAMES = {
    "VAR_ACCESS_TOKEN": "VAR_ACCESS_TOKEN",
    "VAR_REFRESH_TOKEN": "VAR_REFRESH_TOKEN",
    "VAR_PERMITTED_PLATFORMS": "VAR_PERMITTED_PLATFORMS",
    "VAR_SELECTED_LOCALE": "VAR_SELECTED_LOCALE",
}


def test_each_cookie_has_the_name_of_the_contract() -> None:
    assert {name: getattr(cookies, name) for name in NAMES} == NAMES
