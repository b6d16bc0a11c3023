from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import RefreshToken, SignIn
from sandbox_api.auth.sign_ins import Refused, TokenPair


@pytest.fixture
def pair(make_account):
    return sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="Firefox " * 100)


def rotate(pair):
    return sign_ins.rotate(refresh_token=pair.refresh_token)


def test_a_refresh_token_is_stored_as_its_hash_only(pair):
    stored = [str(value) for row in RefreshToken.objects.values() for value in row.values()]
    assert not any(pair.refresh_token in value for value in stored)
    assert RefreshToken.objects.get().digest == sign_ins.digest_of(pair.refresh_token)


def test_a_refresh_token_works_once_and_its_successor_after_it(pair):
    second = rotate(pair)
    assert isinstance(second, TokenPair)
    assert second.refresh_token != pair.refresh_token
    assert isinstance(rotate(second), TokenPair)
    assert SignIn.objects.get().revoked_at is None


def test_a_second_use_ends_the_whole_family(pair):
    second = rotate(pair)
    third = rotate(second)
    assert isinstance(rotate(pair), Refused)
    assert SignIn.objects.get().revoked_at is not None
    assert isinstance(rotate(third), Refused)


def test_other_sign_ins_of_the_account_go_on(pair):
    account = SignIn.objects.get().account
    other = sign_ins.begin_sign_in(account=account, user_agent="phone")
    rotate(pair)
    rotate(pair)
    assert isinstance(rotate(other), TokenPair)


def test_an_unknown_token_is_refused_and_ends_nothing(pair):
    assert isinstance(sign_ins.rotate(refresh_token="unknown"), Refused)
    assert isinstance(rotate(pair), TokenPair)


def test_an_expired_token_is_refused(pair):
    RefreshToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert rotate(pair) == Refused(detail="The refresh token has expired.")


def test_a_revoked_sign_in_is_refused(pair):
    sign_ins.revoke_family_of(refresh_token=pair.refresh_token)
    assert rotate(pair) == Refused(detail="The sign-in has ended.")


def test_a_spent_token_can_sign_its_family_out(pair):
    second = rotate(pair)
    sign_ins.revoke_family_of(refresh_token=pair.refresh_token)
    assert isinstance(rotate(second), Refused)


def test_the_first_revocation_counts(pair):
    sign_in = SignIn.objects.get()
    sign_ins.revoke(sign_in_id=sign_in.id)
    first = SignIn.objects.get().revoked_at
    sign_ins.revoke(sign_in_id=sign_in.id)
    assert SignIn.objects.get().revoked_at == first


def test_a_rotation_prolongs_the_sign_in_and_a_new_sign_in_forgets_the_ended_ones(pair, configure):
    configure(refresh_token_lifetime=timedelta(hours=1))
    rotate(pair)
    sign_in = SignIn.objects.get()
    assert sign_in.expires_at - sign_in.last_used_at == timedelta(hours=1)
    SignIn.objects.update(expires_at=timezone.now() - timedelta(days=1))
    sign_ins.begin_sign_in(account=sign_in.account, user_agent="")
    assert SignIn.objects.count() == 1
    assert RefreshToken.objects.count() == 1


def test_a_long_user_agent_is_cut(pair):
    assert len(SignIn.objects.get().user_agent) == 300


def test_the_new_access_token_has_the_permissions_of_now(pair):
    import jwt

    account = SignIn.objects.get().account
    account.permissions = ["FINANCE_APP"]
    account.save()
    claims = jwt.decode(rotate(pair).access_token, options={"verify_signature": False})
    assert claims["permissions"] == ["FINANCE_APP"]
