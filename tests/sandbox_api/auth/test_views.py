from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password

from sandbox_api import faults
from sandbox_api.auth.models import SignIn
from sandbox_api.idempotency import StoredAnswer

ADDRESS, PASSWORD = "me@example.com", "secret words"


@pytest.fixture
def account(make_account):
    return make_account("ENERGY_APP", email=ADDRESS, name="Me", password=make_password(PASSWORD))


@pytest.fixture
def pair(account, anyone):
    return anyone.post("/auth/login", {"email": ADDRESS, "password": PASSWORD}).json()


def refresh(client, token, key=None):
    return client.post("/refresh", {"refreshToken": token}, headers={"Idempotency-Key": key} if key else {})


def me(client, token):
    return client.get("/me", headers={"Authorization": f"Bearer {token}"})


class TestLogin:
    def test_it_gives_a_pair_that_works(self, anyone, account, pair):
        assert set(pair) == {"accessToken", "refreshToken"}
        assert me(anyone, pair["accessToken"]).json() == {
            "id": account.id,
            "email": ADDRESS,
            "name": "Me",
            "permissions": ["ENERGY_APP"],
        }

    def test_a_wrong_password_and_an_unknown_account_get_the_same_answer(self, anyone, account, problem):
        wrong = anyone.post("/auth/login", {"email": ADDRESS, "password": "wrong"})
        unknown = anyone.post("/auth/login", {"email": "nobody@example.com", "password": "wrong"})
        assert problem(wrong, 401)
        assert problem(unknown, 401)
        assert wrong.content == unknown.content
        assert not SignIn.objects.exists()

    def test_both_fields_are_required(self, anyone, problem):
        assert problem(anyone.post("/auth/login", {}), 422, "email", "password")
        assert problem(anyone.post("/auth/login", {"email": "", "password": ""}), 422, "email", "password")
        assert problem(anyone.post("/auth/login", {"email": [], "password": {}}), 422, "email", "password")
        assert problem(anyone.post("/auth/login", {"email": "a\0", "password": "\0"}), 422, "email", "password")

    def test_a_bad_bearer_does_not_matter(self, anyone, account):
        body = {"email": ADDRESS, "password": PASSWORD}
        assert anyone.post("/auth/login", body, headers={"Authorization": "Bearer old"}).status_code == 200

    def test_a_repetition_under_the_same_key_is_the_same_sign_in(self, anyone, account, problem):
        body = {"email": ADDRESS, "password": PASSWORD}
        first, again = (anyone.post("/auth/login", body, headers={"Idempotency-Key": "k"}).json() for _ in range(2))
        assert first == again
        assert SignIn.objects.count() == 1
        wrong = anyone.post("/auth/login", {**body, "password": "x"}, headers={"Idempotency-Key": "k"})
        assert problem(wrong, 401)


class TestRefresh:
    def test_it_gives_a_new_pair_and_the_old_token_is_spent(self, anyone, pair, problem):
        new = refresh(anyone, pair["refreshToken"]).json()
        assert set(new) == {"accessToken", "refreshToken"}
        assert me(anyone, new["accessToken"]).status_code == 200
        assert problem(refresh(anyone, pair["refreshToken"]), 401)

    def test_a_second_use_ends_the_access_tokens_too(self, anyone, pair, problem):
        new = refresh(anyone, pair["refreshToken"]).json()
        refresh(anyone, pair["refreshToken"])
        assert problem(me(anyone, new["accessToken"]), 401)
        assert problem(refresh(anyone, new["refreshToken"]), 401)

    @pytest.mark.parametrize("token", ["unknown", "ü", "x" * 1000])
    def test_an_unknown_token_is_401(self, anyone, problem, token):
        assert problem(refresh(anyone, token), 401)

    @pytest.mark.parametrize("body", [{}, {"refreshToken": ""}, {"refreshToken": None}, {"refreshToken": []}])
    def test_a_missing_token_is_422(self, anyone, problem, body):
        assert problem(anyone.post("/refresh", body), 422, "refreshToken")

    def test_the_same_key_gets_the_same_answer_and_revokes_nothing(self, anyone, pair):
        first = refresh(anyone, pair["refreshToken"], "k1")
        again = refresh(anyone, pair["refreshToken"], "k1")
        assert again.json() == first.json()
        assert again.headers["Idempotent-Replayed"] == "true"
        assert refresh(anyone, first.json()["refreshToken"], "k2").status_code == 200

    def test_another_key_is_a_second_use(self, anyone, pair, problem):
        new = refresh(anyone, pair["refreshToken"], "k1").json()
        assert problem(refresh(anyone, pair["refreshToken"], "k2"), 401)
        assert problem(me(anyone, new["accessToken"]), 401)

    def test_after_the_window_the_same_key_is_a_second_use(self, anyone, pair, problem, configure):
        configure(refresh_replay_window=timedelta(seconds=-1))
        new = refresh(anyone, pair["refreshToken"], "k1").json()
        assert problem(refresh(anyone, pair["refreshToken"], "k1"), 401)
        assert problem(me(anyone, new["accessToken"]), 401)

    def test_the_key_of_one_token_is_another_key_with_another_token(self, anyone, pair):
        new = refresh(anyone, pair["refreshToken"], "k1").json()
        newest = refresh(anyone, new["refreshToken"], "k1")
        assert newest.status_code == 200
        assert newest.json() != new

    def test_keys_can_be_left_unhonoured(self, anyone, pair, problem, configure):
        configure(honour_idempotency_key=False)
        new = refresh(anyone, pair["refreshToken"], "k1").json()
        assert problem(refresh(anyone, pair["refreshToken"], "k1"), 401)
        assert problem(me(anyone, new["accessToken"]), 401)

    def test_no_stored_answer_is_given_after_sign_out(self, anyone, pair, problem):
        refresh(anyone, pair["refreshToken"], "k1")
        anyone.post("/auth/logout", {"refreshToken": pair["refreshToken"]})
        assert problem(refresh(anyone, pair["refreshToken"], "k1"), 401)

    def test_a_stored_answer_shows_no_token(self, anyone, pair):
        new = refresh(anyone, pair["refreshToken"], "k1").json()
        sealed = bytes(StoredAnswer.objects.get(body_hash__gt="").sealed)
        assert len(sealed) > 100
        for token in (*pair.values(), *new.values()):
            assert token.encode() not in sealed

    def test_a_refused_token_stores_no_answer(self, anyone, pair):
        refresh(anyone, pair["refreshToken"])
        refresh(anyone, pair["refreshToken"], "k1")
        assert not StoredAnswer.objects.exists()

    def test_it_is_open_to_a_dead_bearer(self, anyone, pair):
        answer = anyone.post(
            "/refresh", {"refreshToken": pair["refreshToken"]}, headers={"Authorization": "Bearer dead"}
        )
        assert answer.status_code == 200


class TestFaults:
    def test_a_refusal_leaves_the_token_unspent(self, anyone, pair, problem, configure):
        configure(faults=faults_of(refresh_refuse_rate=1.0))
        answer = refresh(anyone, pair["refreshToken"])
        assert problem(answer, 503)
        assert answer.headers["Retry-After"] == "1"
        configure(faults=faults_of())
        assert refresh(anyone, pair["refreshToken"]).status_code == 200

    def test_a_delay_comes_after_the_rotation(self, anyone, pair, configure, monkeypatch):
        configure(faults=faults_of(refresh_delay=timedelta(seconds=3)))
        seen = []
        monkeypatch.setattr(
            faults.time,
            "sleep",
            lambda seconds: seen.append((seconds, SignIn.objects.get().refresh_tokens.count())),
        )
        assert refresh(anyone, pair["refreshToken"]).status_code == 200
        assert seen == [(3.0, 2)]


def faults_of(**values):
    from sandbox_api.environment import Faults

    return Faults(**values)


class TestLogout:
    def test_it_ends_the_family(self, anyone, pair, problem):
        answer = anyone.post("/auth/logout", {"refreshToken": pair["refreshToken"]})
        assert (answer.status_code, answer.content) == (204, b"")
        assert problem(me(anyone, pair["accessToken"]), 401)
        assert problem(refresh(anyone, pair["refreshToken"]), 401)

    def test_it_can_be_repeated_and_takes_an_unknown_token(self, anyone, pair):
        for token in (pair["refreshToken"], pair["refreshToken"], "unknown"):
            assert anyone.post("/auth/logout", {"refreshToken": token}).status_code == 204

    def test_it_wants_a_token(self, anyone, problem):
        assert problem(anyone.post("/auth/logout", {}), 422, "refreshToken")

    def test_another_sign_in_goes_on(self, anyone, pair, account):
        other = anyone.post("/auth/login", {"email": ADDRESS, "password": PASSWORD}).json()
        anyone.post("/auth/logout", {"refreshToken": pair["refreshToken"]})
        assert me(anyone, other["accessToken"]).status_code == 200


class TestWhereFrom:
    def signed_in_from(self, anyone, **environ):
        anyone.post("/auth/login", {"email": ADDRESS, "password": PASSWORD}, **environ)
        return SignIn.objects.latest("created_at").ip_address

    def test_a_sign_in_keeps_the_address_that_the_portal_on_this_machine_says(self, anyone, account):
        assert self.signed_in_from(anyone, headers={"X-Forwarded-For": "203.0.113.7"}) == "203.0.113.7"
        assert self.signed_in_from(anyone, headers={"X-Forwarded-For": "9.9.9.9, 2001:DB8::1"}) == "2001:db8::1"

    def test_without_that_or_with_nonsense_it_is_the_callers_own(self, anyone, account):
        assert self.signed_in_from(anyone) == "127.0.0.1"
        assert self.signed_in_from(anyone, headers={"X-Forwarded-For": "<script>"}) == "127.0.0.1"

    def test_another_machine_is_not_believed(self, anyone, account):
        said = {"X-Forwarded-For": "203.0.113.7"}
        assert self.signed_in_from(anyone, headers=said, REMOTE_ADDR="198.51.100.9") == "198.51.100.9"


class TestMe:
    def rename(self, client, token, body):
        return client.patch("/me", body, headers={"Authorization": f"Bearer {token}"})

    def test_the_name_can_be_changed(self, anyone, account, pair):
        answer = self.rename(anyone, pair["accessToken"], {"name": " Ada Lovelace "})
        assert answer.json()["name"] == "Ada Lovelace"
        assert me(anyone, pair["accessToken"]).json() == answer.json()

    def test_nothing_else_can(self, anyone, account, pair):
        before = me(anyone, pair["accessToken"]).json()
        self.rename(anyone, pair["accessToken"], {"permissions": ["IAM_ADMIN"], "email": "x@example.com", "id": "x"})
        assert me(anyone, pair["accessToken"]).json() == before

    @pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb", None, 7, []])
    def test_a_name_that_is_none_is_refused(self, anyone, account, pair, problem, name):
        answer = self.rename(anyone, pair["accessToken"], {"name": name})
        assert problem(answer, 422, "name") if name != 7 else answer.status_code == 200

    def test_only_who_is_signed_in_has_one(self, anyone, problem):
        assert problem(anyone.patch("/me", {"name": "Ada"}), 401)
