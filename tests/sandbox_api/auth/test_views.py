from datetime import timedelta

import pytest
from django.contrib.auth.hashers import ScryptPasswordHasher
from rows import ADDRESS, PASSWORD

from sandbox_api.auth.models import SignIn
from sandbox_api.environment import Faults


@pytest.fixture
def pair(account, anyone):
    return sign_in(anyone)


def sign_in(client):
    return client.post("/auth/login", {"email": ADDRESS, "password": PASSWORD}).json()


def refresh(client, token, key=None):
    return client.post("/refresh", {"refreshToken": token}, headers={"Idempotency-Key": key} if key else {})


def me(client, token):
    return client.get("/me", headers={"Authorization": f"Bearer {token}"})


def test_wrong_password_and_unknown_account_answer_alike(anyone, account, problem):
    wrong = anyone.post("/auth/login", {"email": ADDRESS, "password": "wrong"})
    unknown = anyone.post("/auth/login", {"email": "nobody@example.com", "password": "wrong"})
    assert problem(wrong, 401)
    assert problem(unknown, 401)
    assert wrong.content == unknown.content
    assert not SignIn.objects.exists()
    body = {"email": ADDRESS, "password": PASSWORD}
    assert anyone.post("/auth/login", body, headers={"Authorization": "Bearer old"}).status_code == 200


def test_unknown_account_costs_one_hash_too(anyone, account, monkeypatch):
    hashed, real = [], ScryptPasswordHasher.encode
    monkeypatch.setattr(ScryptPasswordHasher, "encode", lambda *args, **kw: hashed.append(1) or real(*args, **kw))
    for number, address in enumerate((ADDRESS, "nobody@example.com"), start=1):
        anyone.post("/auth/login", {"email": address, "password": "wrong"})
        assert len(hashed) == number


def test_login_repeated_under_its_key_signs_in_once(anyone, account, problem):
    body = {"email": ADDRESS, "password": PASSWORD}
    first, again = (anyone.post("/auth/login", body, headers={"Idempotency-Key": "k"}).json() for _ in range(2))
    assert first == again
    assert SignIn.objects.count() == 1
    wrong = anyone.post("/auth/login", {**body, "password": "x"}, headers={"Idempotency-Key": "k"})
    assert problem(wrong, 401)


@pytest.mark.parametrize(
    ("said", "caller", "kept"),
    [
        ("9.9.9.9, 2001:DB8::1", "127.0.0.1", "2001:db8::1"),
        ("<script>", "127.0.0.1", "127.0.0.1"),
        ("203.0.113.7", "198.51.100.9", "198.51.100.9"),
    ],
)
def test_login_keeps_the_address_a_local_portal_says(anyone, account, said, caller, kept):
    body, headers = {"email": ADDRESS, "password": PASSWORD}, {"X-Forwarded-For": said}
    anyone.post("/auth/login", body, headers=headers, REMOTE_ADDR=caller)
    assert SignIn.objects.get().ip_address == kept


def test_second_use_ends_the_family_and_access_tokens(anyone, pair, problem):
    other = sign_in(anyone)
    new = refresh(anyone, refresh(anyone, pair["refreshToken"]).json()["refreshToken"]).json()
    assert set(new) == {"accessToken", "refreshToken"}
    assert me(anyone, new["accessToken"]).status_code == 200
    assert problem(refresh(anyone, pair["refreshToken"]), 401)
    assert problem(me(anyone, new["accessToken"]), 401)
    assert problem(refresh(anyone, new["refreshToken"]), 401)
    assert refresh(anyone, other["refreshToken"]).status_code == 200, "another sign-in of the account"


def test_wrong_refresh_token_is_refused(anyone, pair, problem):
    for token in ("unknown", "ü", "x" * 1000):
        assert problem(refresh(anyone, token), 401)
    for body in ({}, {"refreshToken": ""}, {"refreshToken": None}, {"refreshToken": []}):
        assert problem(anyone.post("/refresh", body), 422, "refreshToken")
        assert problem(anyone.post("/auth/logout", body), 422, "refreshToken")
    body = {"refreshToken": pair["refreshToken"]}
    assert anyone.post("/refresh", body, headers={"Authorization": "Bearer dead"}).status_code == 200


def test_refresh_repeated_under_its_key_revokes_nothing(anyone, pair, problem):
    first, again = (refresh(anyone, pair["refreshToken"], "k1") for _ in range(2))
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    # With another token it is another key.
    newest = refresh(anyone, first.json()["refreshToken"], "k1")
    assert newest.status_code == 200
    assert newest.json() != first.json()
    # After the sign-out there is no answer to be repeated.
    anyone.post("/auth/logout", {"refreshToken": pair["refreshToken"]})
    assert problem(refresh(anyone, pair["refreshToken"], "k1"), 401)


@pytest.mark.parametrize(
    ("key", "changes"),
    [("k2", {}), ("k1", {"refresh_replay_window": timedelta(seconds=-1)}), ("k1", {"honour_idempotency_key": False})],
    ids=["another key", "after the window", "unhonoured"],
)
def test_refresh_repeated_without_its_key_ends_the_family(anyone, pair, problem, configure, key, changes):
    configure(**changes)
    new = refresh(anyone, pair["refreshToken"], "k1").json()
    assert problem(refresh(anyone, pair["refreshToken"], key), 401)
    assert problem(me(anyone, new["accessToken"]), 401)


def test_refused_refresh_leaves_the_token_unspent(anyone, pair, problem, configure):
    configure(faults=Faults(refresh_refuse_rate=1.0))
    answer = refresh(anyone, pair["refreshToken"])
    assert problem(answer, 503)
    assert answer.headers["Retry-After"] == "1"
    configure(faults=Faults())
    assert refresh(anyone, pair["refreshToken"]).status_code == 200


def test_logout_ends_one_family_and_can_be_repeated(anyone, pair, account, problem):
    other = sign_in(anyone)
    for token in (pair["refreshToken"], pair["refreshToken"], "unknown"):
        answer = anyone.post("/auth/logout", {"refreshToken": token})
        assert (answer.status_code, answer.content) == (204, b"")
    assert problem(me(anyone, pair["accessToken"]), 401)
    assert problem(refresh(anyone, pair["refreshToken"]), 401)
    assert me(anyone, other["accessToken"]).status_code == 200


def test_name_of_an_account_alone_can_be_changed(anyone, pair, problem):
    headers = {"Authorization": f"Bearer {pair['accessToken']}"}
    for name in ("", "x" * 201, "a\nb", None, []):
        assert problem(anyone.patch("/me", {"name": name}, headers=headers), 422, "name")
    before = me(anyone, pair["accessToken"]).json()
    body = {"name": " Ada Lovelace ", "permissions": ["IAM_ADMIN"], "email": "x@example.com", "id": "x"}
    answer = anyone.patch("/me", body, headers=headers)
    assert me(anyone, pair["accessToken"]).json() == answer.json() == before | {"name": "Ada Lovelace"}
