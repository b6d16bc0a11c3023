"""Writes that come again, that name a version, or that the backend refuses: keys, and what is shown after them.

A form that is sent again: the backend answers with what it answered first, and that is older by now.
"""

from __future__ import annotations

import copy
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from portal import errors
from portal.query.cache.sent_keys import SentKeys
from portal.query.calls import derived_key
from tests.portal.query import answering
from tests.portal.query.clients import listed, rename
from tests.portal.query.fakes import FakeBackend, FakeStore, unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import Client, ClientMutations

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
    return answering.create(user, name, idempotency_key=key)


class TestAFormThatIsSentAgain:
    @pytest.fixture
    def ada(self, ada: User) -> User:
        """Three clients, two of which are listed."""
        ada.world.backend = RepeatingBackend(rows=ada.backend.rows[2:], users=ada.backend.users)
        return ada

    @pytest.mark.parametrize("cached", [True, False], ids=["cached", "not cached"])
    @pytest.mark.parametrize("later_s", [1, 100, 3000])
    def test_shows_nothing_that_is_older_than_what_was_written_since(
        self, ada: User, cached: bool, later_s: float
    ) -> None:
        made = create(ada).unwrap()["id"]
        answering.rename(ada, made, "renamed")
        ada.passes(later_s)
        if cached:
            answering.names(ada)
            answering.shown(ada, made)
        assert create(ada.elsewhere()).unwrap() == {"id": made, "name": "new"}, "the first answer, repeated"
        for user in (ada, ada.elsewhere()):
            assert answering.names(user)[made] == answering.shown(user, made) == "renamed"

    def test_with_another_key_or_content_or_without_a_key_is_another_one(self, ada: User) -> None:
        answering.names(ada)
        with ada.reads(0):
            forms = [("form 1", "a"), ("form 2", "a"), ("form 1", "b"), ("", "one"), ("", "two")]
            made = [create(ada, key, name).unwrap()["id"] for key, name in forms]
            assert set(made) < set(answering.names(ada))

    @pytest.mark.parametrize(("error", "posts"), [(errors.ApiTimeoutError(), 1), (unavailable(503), 2)])
    def test_is_not_sent_beside_an_unknown_outcome(self, ada: User, error: Exception, posts: int) -> None:
        answering.names(ada)
        ada.backend.honours_idempotency_key, waits = False, threading.Event()
        ada.world.waits = SimpleNamespace(append=lambda _: waits.set() or time.sleep(0.01))
        ada.backend.failures, others = [error], []
        ada.backend.before = lambda *_: others or others.append(pool.submit(create, ada.elsewhere())) or waits.wait(10)
        with ThreadPoolExecutor() as pool:
            assert create(ada).error is error
            assert [other.result().is_success for other in others] == [posts == 2]
        assert ada.backend.counted()["POST", "/energy/clients"] == posts
        assert create(ada).is_success, "sent again by hand"

    def test_leaves_few_keys_in_the_store(self, ada: User) -> None:
        answering.names(ada)
        for number in range(600):
            ada.backend.rows = ada.backend.rows[-3:]
            create(ada, f"form {number}")
        assert sum(key.startswith("sent:") for key in ada.store.values) <= 256
        assert "form" not in "".join(ada.store.values.values())


def test_a_key_was_sent_before_by_the_user_who_sent_it_or_where_nobody_knows() -> None:
    store = FakeStore()
    sent = SentKeys(store)
    assert [sent.note("key", principal=user) for user in ("ada", "ada", "ben")] == [False, True, False]
    store.down = True
    assert SentKeys(store).note("another", principal="ada")


def test_answer_of_another_address_is_none() -> None:
    def once(address: str) -> Any:
        return SentKeys(store, address).once("key", lambda: address, wait=lambda: False, namespace="ada")

    store = FakeStore()
    assert [once(address) for address in ("one", "other", "one")] == ["one", "other", "one"]
    assert SentKeys(store, "other").is_answered("key", namespace="ada")
    assert not SentKeys(store, "third").is_answered("key", namespace="ada")


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
        assert derived_key(**write) != derived_key(**write | change)

    def test_says_nothing_about_the_body_and_fits_a_header(self) -> None:
        key = derived_key("a", endpoint="e", params={}, body={"name": "Ada \ud800", "odd": object})
        assert (len(key), key.isalnum()) == (64, True)

    @pytest.mark.parametrize(
        ("versions", "same"),
        [((3, 3), True), ((3, "3"), True), ((3, 4), False), ((None, 3), False), ((None, None), True)],
    )
    def test_of_a_form_that_is_sent_again_for_another_version_is_another_one(
        self, ada: User, versions: tuple[Any, Any], same: bool
    ) -> None:
        for version in versions:
            mutation = ClientMutations.use_update_client_mutation(ada.request(), idempotency_key="form")
            mutation.mutate(body={"name": "A"}, params={"id": "c5"}, if_match=version)
        [one, other] = ada.backend.last("idempotency_key", 2)
        assert (one == other) is same


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
    ("error", "reads"),
    [
        (errors.ApiNotFoundError(status=404), 1),
        (errors.ApiNotFoundError(status=410), 1),
        (errors.ApiConflictError(status=409), 1),
        (errors.ApiPreconditionFailedError(status=412), 1),
        (errors.ApiValidationError(status=422), 0),
    ],
    ids=lambda error: str(getattr(error, "status", "")),
)
def test_a_refusal_that_says_that_the_row_is_gone_or_another_one_has_the_list_fetched(
    ada: User, error: Exception, reads: int
) -> None:
    listed(ada)
    ada.backend.failures = [error]
    assert rename(ada, "c5", "new", if_match=1).error is error
    assert ada.backend.counted()["PATCH", "/energy/clients/c5"] == 1
    with ada.reads(reads):
        listed(ada)
