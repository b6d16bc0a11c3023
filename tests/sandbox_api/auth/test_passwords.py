import pytest
from django.contrib.auth.hashers import ScryptPasswordHasher, make_password

from sandbox_api.auth import passwords


@pytest.fixture
def account(make_account):
    return make_account(email="me@example.com", password=make_password("secret words"))


def test_the_right_password_alone_gives_the_account(account):
    assert passwords.account_for(email=" Me@Example.com ", password="secret words") == account
    for wrong in ("", "Secret words", "secret words ", "\U0001f511"):
        assert passwords.account_for(email="me@example.com", password=wrong) is None


def test_an_unknown_account_costs_as_many_hashes_as_a_wrong_password(account, monkeypatch):
    hashed, real = [], ScryptPasswordHasher.encode
    monkeypatch.setattr(ScryptPasswordHasher, "encode", lambda *args, **kw: hashed.append(1) or real(*args, **kw))
    passwords.account_for(email="me@example.com", password="wrong")
    assert len(hashed) == 1
    passwords.account_for(email="nobody@example.com", password="wrong")
    assert len(hashed) == 2
