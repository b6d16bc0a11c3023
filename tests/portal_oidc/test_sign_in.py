"""Which tokens of the provider sign somebody in, and what the log says of the others."""

import jwt
import pytest

from portal.api import TokenPair
from portal.config.portal_config import ClaimMapping, OidcProvider
from portal_oidc.sign_in import _is_usable

JWT = jwt.encode({"sub": "ada"}, "a secret of at least thirty-two bytes")


@pytest.mark.parametrize(
    ("opaque", "pair", "signs_in", "says"),
    [
        (False, TokenPair(access=JWT, refresh="r"), True, []),
        (False, TokenPair(access=JWT), True, ["APP_OIDC_AUTHORIZE_PARAMS should have prompt=consent"]),
        (False, TokenPair(access="a1b2", refresh="r"), False, ["set APP_OIDC_ACCESS_TOKENS=opaque"]),
        (True, TokenPair(access="a1b2", refresh="r"), True, []),
        (True, TokenPair(access=JWT, refresh="r"), True, []),
        (True, TokenPair(access="a1b2"), False, ["prompt=consent", "without a refresh token signs nobody in"]),
    ],
)
def test_opaque_token_signs_in_where_allowed(opaque, pair, signs_in, says, caplog):
    provider = OidcProvider(issuer="https://id.example.com", scopes=("offline_access",), opaque_access_tokens=opaque)
    assert _is_usable(pair, provider) is signs_in
    # A thread of another test may log at the same time.
    lines = [record.getMessage() for record in caplog.records if record.name == "portal.oidc.sign_in"]
    assert [part in line for part, line in zip(says, lines, strict=True)] == [True] * len(says)
    assert pair.access not in caplog.text


@pytest.mark.parametrize(("value", "lines"), [("ada", 0), ("bob", 1)])
def test_token_without_mapped_permission_is_logged(value, lines, caplog):
    mapping = ClaimMapping(claim="sub", permissions=((value, "ENERGY_APP"),))
    assert _is_usable(TokenPair(access=JWT), OidcProvider(issuer="https://id.example.com", mapping=mapping))
    assert len(caplog.messages) == caplog.text.count("the access token lacks the claim sub, or") == lines


def test_without_offline_access_nobody_misses_a_refresh_token(caplog):
    assert _is_usable(TokenPair(access=JWT), OidcProvider(issuer="https://id.example.com"))
    assert caplog.messages == []
