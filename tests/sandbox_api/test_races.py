"""Many callers at the same moment: threads on one database."""

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection
from rest_framework.test import APIClient

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import PasswordReset, RefreshToken, SignIn
from sandbox_api.auth.sign_ins import Refused, TokenPair
from sandbox_api.energy.models import Client
from tests.support.forks import at_once

CALLERS = 8


def all_at_once(call, count=CALLERS):
    """Call from so many threads, each let go at the same moment; gives the results."""

    def call_and_close(number):
        try:
            return call(number)
        finally:
            connection.close()

    return at_once(count, call_and_close)


@pytest.fixture
def pair(transactional_db, make_account):
    return sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="")


def signed_in(pair):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
    return client


@pytest.mark.django_db(transaction=True)
class TestThreads:
    def test_one_of_many_rotates_and_the_others_end_the_family(self, pair):
        outcomes = all_at_once(lambda _: sign_ins.rotate(refresh_token=pair.refresh_token))
        assert sum(isinstance(outcome, TokenPair) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, Refused) for outcome in outcomes) == CALLERS - 1
        assert RefreshToken.objects.count() == 2
        assert SignIn.objects.get().revoked_at is not None

    def test_many_with_one_key_get_one_answer_and_nobody_is_signed_out(self, pair):
        def refresh(_):
            body = {"refreshToken": pair.refresh_token}
            return APIClient().post("/refresh", body, headers={"Idempotency-Key": "k"})

        answers = all_at_once(refresh)
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        assert sum("Idempotent-Replayed" not in answer.headers for answer in answers) == 1
        assert RefreshToken.objects.count() == 2
        assert SignIn.objects.get().revoked_at is None

    def test_of_many_who_saw_one_version_one_changes_it(self, pair):
        """Every writer but one is refused, in each round; so no change is lost."""
        row = Client.objects.create(name="Ada", email="ada@example.com")
        for version in (1, 2):
            answers = all_at_once(
                lambda number, headers={"If-Match": f'"{version}"'}: signed_in(pair).patch(
                    f"/energy/clients/{row.id}", {"name": f"Ada {number}"}, headers=headers
                )
            )
            assert sorted(answer.status_code for answer in answers) == [200] + [412] * (CALLERS - 1)
            [winner] = [answer for answer in answers if answer.status_code == 200]
            row.refresh_from_db()
            assert (row.name, row.version) == (winner.json()["name"], version + 1)

    @pytest.mark.parametrize(("headers", "rows"), [({"Idempotency-Key": "k"}, 1), ({}, CALLERS)])
    def test_many_writes_with_one_key_run_once_and_without_a_key_all_run(self, pair, headers, rows):
        body = {"name": "Ada", "email": "ada@example.com"}
        answers = all_at_once(lambda _: signed_in(pair).post("/energy/clients", body, headers=headers))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == Client.objects.count() == rows

    def test_a_sign_in_with_the_old_password_does_not_survive_a_reset_beside_it(self, make_account):
        account = make_account(email="me@example.com", password=make_password("secret words"))
        PasswordReset.objects.create(digest=sign_ins.digest_of("token"), email=account.email)

        def reset_or_sign_in(number):
            if number == 0:
                return APIClient().post("/auth/reset-password", {"token": "token", "password": "other words"})
            return APIClient().post("/auth/login", {"email": account.email, "password": "secret words"})

        reset, *signed_in = all_at_once(reset_or_sign_in, count=3)
        assert reset.status_code == 204
        assert {answer.status_code for answer in signed_in} <= {200, 401}
        assert not SignIn.objects.filter(revoked_at__isnull=True).exists()
