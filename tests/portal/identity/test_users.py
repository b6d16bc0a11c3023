"""The decoded user: which claims count, and what is no token."""

import base64
import json

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.config.portal_config import ClaimMapping
from portal.identity import DecodedUser, get_user_from_token
from portal.identity.users import MAX_TOKEN_CHARS

SECRET = "s" * 32


def token(claims: dict[str, object], **header: object) -> str:
    return jwt.encode(claims, SECRET, algorithm="HS256", headers=header or None)


def part(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw_token(header: object, payload: object, signature: bytes = b"x") -> str:
    return ".".join((part(header), part(payload), part(signature)))


def test_a_token_says_who_may_open_what() -> None:
    permissions = ("FINANCE_APP", "ENERGY_APP", "X")
    user = get_user_from_token(token({"sub": "u-1", "permissions": permissions, "exp": 2_000}))
    assert user == DecodedUser(
        subject="u-1",
        platforms=("ENERGY", "FINANCE"),
        primary_role="ENERGY",
        permissions=permissions,
        expires_at=2_000.0,
    )


@pytest.mark.parametrize(
    ("claims", "platforms"),
    [
        ({"Permissions": ["ENERGY_APP"]}, ("ENERGY",)),
        ({"Permissions": ["FINANCE_APP"], "permissions": []}, ()),
        ({"permissions": "ENERGY_APP", "Permissions": ["FINANCE_APP"]}, ()),
        ({}, ()),
    ],
)
def test_the_first_permissions_claim_that_is_present_decides(claims, platforms) -> None:
    assert get_user_from_token(token(claims)).platforms == platforms


@pytest.mark.parametrize(
    ("role", "primary"), [("FINANCE", "FINANCE"), ("OPERATIONS", "ENERGY"), (["FINANCE"], "ENERGY"), (7, "ENERGY")]
)
def test_the_primary_role_is_honoured_only_if_it_is_permitted(role, primary) -> None:
    claims = {"permissions": ["ENERGY_APP", "FINANCE_APP"], "primaryRole": role, "sub": role}
    user = get_user_from_token(raw_token({"alg": "HS256"}, claims))
    assert user.primary_role == primary
    assert user.subject == (None if isinstance(role, list) else str(role)), "a text, a number, or none"


@pytest.mark.parametrize("algorithm", ["none", "nOnE", " none ", "", None, 7, ["HS256"]])
@pytest.mark.parametrize("signature", [b"", b"x"])
def test_alg_none_is_no_token_even_when_only_decoding(algorithm, signature) -> None:
    assert get_user_from_token(raw_token({"alg": algorithm}, {"permissions": ["ENERGY_APP"]}, signature)) is None


@pytest.mark.parametrize("expiry", ['"2000"', "null", "true", "[2000]", "NaN", "1e999"])
def test_a_token_whose_expiry_is_no_time_is_no_token(expiry) -> None:
    assert get_user_from_token(raw_token({"alg": "HS256"}, f'{{"exp": {expiry}}}'.encode())) is None


HEADERS_OF_NONE: list[object] = [["HS256"], {}, {"alg": "HS256", "crit": ["unheard-of"]}, {"alg": "HS256", "kid": 7}]
PAYLOADS_OF_NONE = [b"not json", ["a list"], b"[" * 2500, b'{"exp":' + b"9" * 2500 + b"}", b"\xff\xfe"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "a.b", "a.b.c.d.e", "é.é.é", "\ud800.\ud800.\ud800"),
        *(raw_token(header, {}) for header in (*HEADERS_OF_NONE, b"[" * 2500)),
        *(raw_token({"alg": "HS256"}, payload) for payload in PAYLOADS_OF_NONE),
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_what_is_no_token_gives_no_user(text) -> None:
    assert get_user_from_token(text) is None


def test_a_token_that_no_browser_keeps_is_not_even_decoded() -> None:
    fits = token({"x": "a" * 2900})
    assert len(fits) <= MAX_TOKEN_CHARS
    assert get_user_from_token(fits) is not None
    assert get_user_from_token(token({"x": "a" * 4000})) is None
    assert get_user_from_token("a" * 65_536) is None


@given(
    st.dictionaries(
        st.sampled_from(["sub", "exp", "nbf", "permissions", "Permissions", "primaryRole", "aud"]),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=5,
        ),
    )
)
def test_no_claims_make_it_raise(claims) -> None:
    user = get_user_from_token(raw_token({"alg": "HS256"}, claims))
    assert user is None or isinstance(user, DecodedUser)


MAPPING = ClaimMapping(
    claim="groups",
    permissions=(
        ("staff", "ENERGY_APP"),
        ("staff", "OPERATIONS_APP"),
        ("accounts", "FINANCE_APP"),
        ("head office", "ALL"),
    ),
)


@pytest.mark.parametrize(
    ("claims", "permissions"),
    [
        ({"groups": ["staff", "guests"]}, ("ENERGY_APP", "OPERATIONS_APP")),
        ({"groups": "accounts"}, ("FINANCE_APP",)),
        ({"groups": ["accounts", 7], "permissions": ["ENERGY_APP"]}, ("FINANCE_APP",)),
        ({"groups": "guests accounts"}, ("FINANCE_APP",)),
        ({"groups": "head office"}, ("ALL",)),
        ({"groups": {"staff": True}}, ()),
        ({"permissions": ["ENERGY_APP"]}, ()),
    ],
)
def test_a_mapped_claim_decides_alone(claims, permissions) -> None:
    assert get_user_from_token(token(claims), mapping=MAPPING).permissions == permissions


@pytest.mark.parametrize("claims", [{"a.b": ["x"]}, {"a": {"b": "x"}}, {"a": {"b": "y"}, "a.b": "x"}])
def test_dotted_claim_is_a_name_or_a_path(claims) -> None:
    mapping = ClaimMapping(claim="a.b", permissions=(("x", "ENERGY_APP"),))
    assert get_user_from_token(token(claims), mapping=mapping).permissions == ("ENERGY_APP",)
    assert get_user_from_token(token({"a": ["b"]}), mapping=mapping).permissions == ()
