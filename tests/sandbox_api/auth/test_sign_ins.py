"""The rows behind a sign-in; what a caller sees of them stands in `test_views`."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import RefreshToken, SignIn
from sandbox_api.auth.sign_ins import Refused


@pytest.fixture
def pair(make_account):
    return sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="Firefox " * 100)


def rotate(pair):
    return sign_ins.rotate(refresh_token=pair.refresh_token)


def test_a_refresh_token_is_stored_as_its_hash_only_and_a_long_user_agent_is_cut(pair):
    stored = [str(value) for row in RefreshToken.objects.values() for value in row.values()]
    assert not any(pair.refresh_token in value for value in stored)
    assert RefreshToken.objects.get().digest == sign_ins.digest_of(pair.refresh_token)
    assert len(SignIn.objects.get().user_agent) == 300


def test_a_rotation_prolongs_the_sign_in_and_a_new_sign_in_forgets_the_ended_ones(pair, configure):
    configure(refresh_token_lifetime=timedelta(hours=1))
    second = rotate(pair)
    sign_in = SignIn.objects.get()
    assert sign_in.expires_at - sign_in.last_used_at == timedelta(hours=1)
    RefreshToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert rotate(second) == Refused(detail="The refresh token has expired.")
    SignIn.objects.update(expires_at=timezone.now() - timedelta(days=1))
    sign_ins.begin_sign_in(account=sign_in.account, user_agent="")
    assert (SignIn.objects.count(), RefreshToken.objects.count()) == (1, 1)
