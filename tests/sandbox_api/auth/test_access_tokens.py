from datetime import timedelta

import jwt
import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from sandbox_api.auth import sign_ins
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


def bearer(value):
    return {"headers": {"Authorization": value}}


@pytest.mark.parametrize(
    "value", ["Bearer", "Bearer ", "Bearer nonsense", "Basic bWU6bWU=", "bearer a.b.c", "Bearer \xff"]
)
def test_a_malformed_bearer_is_401(anyone, problem, value):
    answer = anyone.get("/me", **bearer(value))
    assert problem(answer, 401)
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_token_ends_with_sign_in_time_and_account(sign_in, anyone, problem, configure):
    ended, deleted = sign_in("ENERGY_APP"), sign_in()
    # The scheme is read without case.
    assert anyone.get("/me", **bearer(f"bEARER  {ended.pair.access_token}")).status_code == 200
    sign_ins.revoke(sign_in_id=SignIn.objects.get(account=ended.account).id)
    assert problem(ended.get("/energy/clients"), 401)
    deleted.account.delete()
    configure(access_token_lifetime=timedelta(seconds=-10))
    for client in (ended, deleted, sign_in()):
        assert problem(client.get("/me"), 401)


def test_sign_in_of_another_account_is_not_taken(sign_in, anyone, problem):
    mine, other = sign_in(), sign_in()
    claims = jwt.decode(mine.pair.access_token, options={"verify_signature": False})
    forged = jwt.encode({**claims, "sub": other.account.id}, django_settings.SANDBOX.jwt_key, algorithm="HS256")
    assert problem(anyone.get("/me", **bearer(f"Bearer {forged}")), 401)
