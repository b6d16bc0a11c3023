"""Writes that come again, that name a version, or that the backend refuses: keys, and what is shown after them.

A form that is sent again: the backend answers with what it answered first, and that is older by now.
"""

import copy
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import override_settings

from portal import errors
from portal.api import Backend
from portal.config.current import portal_config
from portal.query.cache.sent_keys import SentKeys
from portal.query.calls import derived_key
from portal.query.sign_in_caches import CACHE_LIFETIME_S, SignInCache
from tests.portal.query.clients import failing, listed, names, one, rename
from tests.portal.query.fakes import FakeBackend, FakeStore, unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import Client, ClientMutations

CACHE = SignInCache("ns:1", "ada", ("ada:number",), (1,))
ADA = Client(name="Ada", email="ada@example.com")


@dataclass
class RepeatingBackend(FakeBackend):
    """Does a write once for each key, and repeats its first answer."""

    answered: dict[str, Any] = field(default_factory=dict)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        key = self.sent[-1].get("idempotency_key")
        if method == "GET" or key is None:
            return super()._do(token, method, path, params, body)
        if key not in self.answered:
            self.answered[key] = copy.deepcopy(super()._do(token, method, path, params, body))
        return copy.deepcopy(self.answered[key])


def create(user: User, key: str = "form 1", name: str = "new") -> Any:
    mutation = ClientMutations.use_create_client_mutation(user.request(), idempotency_key=key)
    return mutation.mutate(body={"name": name})


def rename_by_form(user: User, **options: Any) -> Any:
    mutation = ClientMutations.use_update_client_mutation(user.request(), idempotency_key="form")
    return mutation.mutate(body={"name": "A"}, params={"id": "c5"}, **options)


class TestAFormThatIsSentAgain:
    @pytest.fixture
    def ada(self, ada: User) -> User:
        ada.world.backend = RepeatingBackend(rows=ada.backend.rows, users=ada.backend.users)
        return ada

    @pytest.mark.parametrize("cached", [True, False], ids=["cached", "not cached"])
    @pytest.mark.parametrize("is_lost", [True, False], ids=["answer lost", "answered"])
    def test_shows_nothing_older_than_later_writes(self, ada: User, cached: bool, is_lost: bool) -> None:
        ada.backend.inside = failing(errors.ApiTimeoutError()) if is_lost else None
        assert create(ada).is_success is not is_lost
        ada.backend.inside = None
        made = ada.backend.rows[0]["id"]
        rename(ada, made, "renamed")
        if cached:
            names(ada)
            one(ada, made)
        assert create(ada.elsewhere()).unwrap() == {"id": made, "name": "new"}, "the first answer, repeated"
        assert ada.backend.counted()["POST", "/energy/clients"] == (3 if is_lost else 1)
        for user in (ada, ada.elsewhere()):
            assert names(user)[made] == one(user, made).unwrap()["name"] == "renamed"

    @pytest.mark.parametrize(
        ("method", "honours", "window_s", "kept_s"),
        [
            ("POST", True, 120, 600),
            ("POST", True, 3600, 3600),
            ("POST", False, 3600, 600),
            ("PATCH", True, 120, 120),
            ("PATCH", False, 120, None),
        ],
    )
    def test_is_sent_once_while_its_key_counts(
        self, ada: User, *, method: str, honours: bool, window_s: float, kept_s: float | None
    ) -> None:
        ada.backend.honours_idempotency_key = honours
        backend = type("Windowed", (Backend,), {"idempotency_window_s": window_s})()
        with override_settings(PORTAL=replace(portal_config(), backend=backend)):
            for _ in range(2):
                assert (create(ada) if method == "POST" else rename_by_form(ada)).is_success
        assert sum(called == method for called, _, _ in ada.backend.calls) == (1 if kept_s else 2)
        assert [lasts for key, lasts in ada.store.lifetimes.items() if ":sent" in key] == [kept_s] * bool(kept_s)

    def test_is_known_as_long_as_its_key_counts(self, ada: User) -> None:
        backend = type("Windowed", (Backend,), {"idempotency_window_s": 24 * CACHE_LIFETIME_S})()
        with override_settings(PORTAL=replace(portal_config(), backend=backend)):
            rename_by_form(ada)
            for key, lasts in ada.store.lifetimes.items():
                if lasts is not None and lasts <= CACHE_LIFETIME_S:
                    ada.store.values.pop(key, None)
            assert rename_by_form(ada.elsewhere()).is_success
        assert sum(method == "PATCH" for method, _, _ in ada.backend.calls) == 1

    def test_shows_in_a_request_that_has_read(self, ada: User) -> None:
        request = ada.request()
        listed(request)
        made = create(ada.elsewhere()).unwrap()
        again = ClientMutations.use_create_client_mutation(request, idempotency_key="form 1")
        assert again.mutate(body={"name": "new"}).unwrap() == made
        assert made["id"] in listed(request)

    @pytest.mark.parametrize(("error", "posts"), [(errors.ApiTimeoutError(), 1), (unavailable(503), 2)])
    def test_is_not_sent_beside_an_unknown_outcome(self, ada: User, error: Exception, posts: int) -> None:
        names(ada)
        ada.backend.honours_idempotency_key, waits = False, threading.Event()
        ada.world.waits = SimpleNamespace(append=lambda _: waits.set() or time.sleep(0.01))
        ada.backend.failures, others = [error], []
        ada.backend.before = lambda *_: others or others.append(pool.submit(create, ada.elsewhere())) or waits.wait(10)
        with ThreadPoolExecutor() as pool:
            assert create(ada).error is error
            assert [other.result().is_success for other in others] == [posts == 2]
        assert ada.backend.counted()["POST", "/energy/clients"] == posts
        assert create(ada).is_success, "sent again by hand"


def test_answers_count_for_address_and_sign_in() -> None:
    def once(address: str) -> Any:
        keys = SentKeys(store, address)
        return keys.once("key", lambda _: address, wait=lambda: False, cache=CACHE, lifetime_s=9)

    store = FakeStore()
    assert [once(address) for address in ("one", "other", "one")] == ["one", "other", "one"]
    assert SentKeys(store, "other").is_answered("key", name="ada")
    assert not SentKeys(store, "third").is_answered("key", name="ada")
    assert not SentKeys(store, "other").is_answered("key", name="ben")


def test_unknown_outcome_is_no_answer() -> None:
    def lose(_is_repeat: bool) -> None:
        raise errors.ApiTimeoutError

    keys = SentKeys(FakeStore())
    with pytest.raises(errors.ApiTimeoutError):
        keys.once("key", lose, wait=lambda: False, cache=CACHE, lifetime_s=9)
    assert not keys.is_answered("key", name="ada")


def test_form_is_sent_without_the_store(ada: User) -> None:
    ada.store.down = True
    assert [create(ada).is_success for _ in range(2)] == [True, True]


class TestTheKey:
    @pytest.mark.parametrize(
        "change",
        [
            {"given": "another"},
            {"endpoint": "energy.create_station"},
            {"params": {"id": "1"}},
            {"body": {**ADA, "name": "Ida"}},
            {"body": None},
        ],
    )
    def test_of_any_other_write_is_another_one(self, change: dict[str, Any]) -> None:
        write: dict[str, Any] = {"given": "a", "endpoint": "energy.create_client", "params": {}, "body": ADA}
        assert derived_key(**write) == derived_key(**write | {"body": dict(reversed(ADA.items()))})
        assert derived_key(**write | {"body": {"name": "Ada \ud800", "odd": object}}).isalnum(), "fits a header"
        assert derived_key(**write) != derived_key(**write | change)

    @pytest.mark.parametrize(
        ("versions", "same"),
        [((3, 3), True), ((3, "3"), True), ((3, 4), False), ((None, 3), False), ((None, None), True)],
    )
    def test_of_another_version_is_another_one(self, ada: User, versions: tuple[Any, Any], same: bool) -> None:
        for version in versions:
            assert rename_by_form(ada, if_match=version).is_success
        assert ada.backend.counted()["PATCH", "/energy/clients/c5"] == 2 - same


def test_each_try_of_a_write_has_its_version(ada: User) -> None:
    """`if_match`: a write that changes the version of a row that the user saw, or nothing."""
    client = ada.request()
    listed(client)
    ada.backend.failures = [errors.ApiUnavailableError(status=503)]
    assert rename(client, "c5", "A", if_match=3).is_success
    assert len(set(ada.backend.last("idempotency_key", 2))) == 1
    for row_id, version in (("c5", "4"), ("c4", None)):
        ClientMutations.use_delete_client_mutation(client).mutate(params={"id": row_id}, if_match=version)
    assert ada.backend.last("if_match", 4) == [3, 3, "4", None]


@pytest.mark.parametrize(
    ("kind", "status", "reads"),
    [
        (errors.ApiNotFoundError, 404, 1),
        (errors.ApiNotFoundError, 410, 1),
        (errors.ApiConflictError, 409, 1),
        (errors.ApiPreconditionFailedError, 412, 1),
        (errors.ApiValidationError, 422, 0),
    ],
)
def test_refusal_of_a_changed_row_has_list_fetched(ada: User, kind: Any, status: int, reads: int) -> None:
    listed(ada)
    ada.backend.failures = [kind(status=status)]
    assert isinstance(rename(ada, "c5", "new", if_match=1).error, kind)
    assert ada.backend.counted()["PATCH", "/energy/clients/c5"] == 1
    with ada.reads(reads):
        listed(ada)


def test_signed_out_token_gets_no_kept_answer(ada: User) -> None:
    assert create(ada).error is None
    ada.backend.signed_out.add(ada.tokens.current.access)
    ada.elsewhere().request().purge()
    with pytest.raises(errors.SignInEndedError):
        create(ada)
