import logging
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from rows import ADDRESS, PASSWORD

from sandbox_api.auth.forgotten_passwords import LIFETIME, MAILS_IN_A_LIFETIME
from sandbox_api.auth.models import PasswordReset, SignIn

NEW = "other words"


@pytest.fixture
def mails(caplog):
    """The links of the mails that were sent, in their order."""
    caplog.set_level(logging.INFO, logger="sandbox_api.mail")
    return lambda: [record.args[1] for record in caplog.records if record.name == "sandbox_api.mail"]


def forgot(client, email=ADDRESS):
    return client.post("/auth/forgot-password", {"email": email})


def reset(client, token, password=NEW, key=None):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/auth/reset-password", {"token": token, "password": password}, headers=headers)


def token_of(link):
    return parse_qs(urlsplit(link).query)["token"][0]


def sign_in(client, password):
    return client.post("/auth/login", {"email": ADDRESS, "password": password})


def test_the_link_of_the_mail_changes_the_password_once(anyone, account, mails, problem):
    assert forgot(anyone, f" {ADDRESS.upper()} ").status_code == 202
    (link,) = mails()
    assert urlsplit(link).path == "/login/reset"
    for password in ("", "short", "x" * 1001, None):
        assert problem(reset(anyone, token_of(link), password), 422, "password")
    assert token_of(link) not in str(PasswordReset.objects.values().get())
    assert [reset(anyone, token_of(link), key="k").status_code for _ in range(2)] == [204, 204]
    assert problem(reset(anyone, token_of(link), "yet another"), 422, "token")
    assert sign_in(anyone, PASSWORD).status_code == 401
    assert sign_in(anyone, NEW).status_code == 200


def test_the_answer_is_the_same_for_an_address_without_an_account(anyone, account, mails):
    known, unknown = forgot(anyone), forgot(anyone, "nobody@example.com")
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
    assert len(mails()) == 1
    assert PasswordReset.objects.count() == 2, "both cost a row"


def test_a_link_ends_after_half_an_hour(anyone, account, mails, problem):
    forgot(anyone)
    PasswordReset.objects.update(created_at=PasswordReset.objects.get().created_at - LIFETIME - timedelta(seconds=1))
    for token in (token_of(mails()[0]), "", "x" * 1001, None):
        assert problem(reset(anyone, token), 422, "token")


def test_a_reset_ends_the_other_links_and_every_sign_in(anyone, account, mails, problem):
    old = sign_in(anyone, PASSWORD).json()
    forgot(anyone)
    forgot(anyone)
    first, second = map(token_of, mails())
    assert reset(anyone, second).status_code == 204
    assert problem(reset(anyone, first, "yet another"), 422, "token")
    assert problem(anyone.get("/me", headers={"Authorization": f"Bearer {old['accessToken']}"}), 401)
    assert problem(anyone.post("/refresh", {"refreshToken": old["refreshToken"]}), 401)
    assert not SignIn.objects.filter(account=account, revoked_at__isnull=True).exists()


def test_only_so_many_mails_are_sent_to_one_address(anyone, account, mails):
    assert {forgot(anyone).status_code for _ in range(MAILS_IN_A_LIFETIME + 2)} == {202}
    assert len(mails()) == MAILS_IN_A_LIFETIME
