import jwt
import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from sandbox_api.auth.access_tokens import issue_access_token, read_access_token
from sandbox_api.auth.models import SignIn

KEY = "0" * 32


@pytest.fixture
def sign_in_row(make_account):
    now = timezone.now()
    return SignIn.objects.create(account=make_account("ENERGY_APP"), expires_at=now)


@pytest.fixture
def token(sign_in_row):
    return issue_access_token(sign_in=sign_in_row, now=timezone.now())


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})


def test_it_has_the_claims_of_the_contract(token, sign_in_row):
    claims = claims_of(token)
    assert set(claims) == {"sub", "sid", "permissions", "iat", "exp", "jti"}
    assert claims["sub"] == sign_in_row.account.id
    assert claims["permissions"] == ["ENERGY_APP"]
    assert claims["exp"] - claims["iat"] == 300
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}


def test_no_two_are_alike(token, sign_in_row):
    other = issue_access_token(sign_in=sign_in_row, now=timezone.now())
    assert claims_of(other)["jti"] != claims_of(token)["jti"]


def test_its_own_key_reads_it(token, sign_in_row):
    claims = read_access_token(token=token)
    assert (claims.account_id, claims.sign_in_id) == (sign_in_row.account_id, sign_in_row.id)


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 1},
        {"exp": None},
        {"sid": None},
        {"sid": 7},
        {"sub": None},
        {"jti": None},
        {"iat": 99_999_999_999},
    ],
)
def test_a_token_with_other_claims_is_not_accepted(token, changes):
    claims = {name: value for name, value in {**claims_of(token), **changes}.items() if value is not None}
    key = django_settings.SANDBOX.jwt_key
    assert read_access_token(token=jwt.encode(claims, key, algorithm="HS256")) is None


def test_a_forged_token_is_not_accepted(token):
    claims = claims_of(token)
    assert read_access_token(token=jwt.encode(claims, KEY, algorithm="HS256")) is None
    assert read_access_token(token=jwt.encode(claims, None, algorithm="none")) is None
    assert read_access_token(token=jwt.encode(claims, KEY * 2, algorithm="HS512")) is None
    assert read_access_token(token="") is None
    assert read_access_token(token="a.b.c") is None
    assert read_access_token(token="ü") is None


def test_its_life_can_be_set(sign_in_row, configure):
    from datetime import timedelta

    configure(access_token_lifetime=timedelta(seconds=1))
    claims = claims_of(issue_access_token(sign_in=sign_in_row, now=timezone.now()))
    assert claims["exp"] - claims["iat"] == 1
