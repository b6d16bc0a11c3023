from datetime import timedelta

import jwt
import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from sandbox_api.auth.access_tokens import issue_access_token, read_access_token
from sandbox_api.auth.models import SignIn

KEY = "0" * 32


@pytest.fixture
def sign_in_row(make_account):
    return SignIn.objects.create(account=make_account("ENERGY_APP"), expires_at=timezone.now())


@pytest.fixture
def token(sign_in_row):
    return issue_access_token(sign_in=sign_in_row, now=timezone.now())


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})


def test_a_token_has_the_claims_of_the_contract_and_its_own_key_reads_it(token, sign_in_row, configure):
    claims = claims_of(token)
    assert set(claims) == {"sub", "sid", "permissions", "iat", "exp", "jti"}
    assert (claims["sub"], claims["permissions"]) == (sign_in_row.account.id, ["ENERGY_APP"])
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
    read = read_access_token(token=token)
    assert (read.account_id, read.sign_in_id) == (sign_in_row.account_id, sign_in_row.id)
    configure(access_token_lifetime=timedelta(seconds=1))
    other = claims_of(issue_access_token(sign_in=sign_in_row, now=timezone.now()))
    assert [each["exp"] - each["iat"] for each in (claims, other)] == [300, 1]
    assert other["jti"] != claims["jti"]


def test_a_token_that_is_forged_or_has_other_claims_is_not_accepted(token):
    claims = claims_of(token)
    for name, value in [("exp", 1), ("exp", None), ("sid", None), ("sid", 7), ("sub", None), ("jti", None)]:
        changed = {each: value for each, value in {**claims, name: value}.items() if value is not None}
        assert read_access_token(token=jwt.encode(changed, django_settings.SANDBOX.jwt_key, algorithm="HS256")) is None
    forged = [jwt.encode(claims, key, algorithm=name) for key, name in ((KEY, "HS256"), (None, "none"))]
    for each in (*forged, "", "a.b.c", "ü"):
        assert read_access_token(token=each) is None
