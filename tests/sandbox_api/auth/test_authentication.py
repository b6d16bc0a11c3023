from datetime import timedelta

import jwt
import pytest
from django.conf import settings as django_settings

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import SignIn


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


def test_a_sign_in_of_another_account_is_not_taken(sign_in, anyone, problem):
    mine, other = sign_in(), sign_in()
    claims = jwt.decode(mine.pair.access_token, options={"verify_signature": False})
    forged = jwt.encode({**claims, "sub": other.account.id}, django_settings.SANDBOX.jwt_key, algorithm="HS256")
    assert problem(anyone.get("/me", **bearer(f"Bearer {forged}")), 401)
