import pytest
from django.contrib.auth.hashers import make_password

from sandbox_api.auth import passwords


@pytest.fixture
def account(make_account):
    return make_account(email="me@example.com", password=make_password("secret words"))


def test_the_right_password_gives_the_account(account):
    assert passwords.account_for(email=" Me@Example.com ", password="secret words") == account


@pytest.mark.parametrize("password", ["", "Secret words", "secret words ", "\U0001f511"])
def test_a_wrong_one_gives_none(account, password):
    assert passwords.account_for(email="me@example.com", password=password) is None


def test_an_unknown_account_costs_as_many_hashes_as_a_wrong_password(account, monkeypatch, settings):
    hashed = []
    from django.contrib.auth.hashers import ScryptPasswordHasher

    real = ScryptPasswordHasher.encode
    monkeypatch.setattr(ScryptPasswordHasher, "encode", lambda *args, **kw: hashed.append(1) or real(*args, **kw))
    passwords.account_for(email="me@example.com", password="wrong")
    wrong, hashed[:] = len(hashed), []
    passwords.account_for(email="nobody@example.com", password="wrong")
    assert wrong == len(hashed) == 1
