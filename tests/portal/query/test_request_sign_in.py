"""The sign-in of a request: what `/me` and refusals say about its cache, and what it reads beside them."""

import threading
from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiForbiddenError, ApiUnauthorizedError
from portal.query import MutationGroup, QueryGroup, RowParams, mutation_endpoint, query_endpoint, use_queries
from portal.query.endpoints.registry import Registry
from portal.services.auth import AuthMutations
from portal.services.iam.sign_ins import SignInQueries
from portal.services.user import UserQueries
from tests.portal.query.clients import BODY, client_of, clients, listed, me, names, once, one, rename
from tests.portal.query.world import User
from tests.support.client_endpoints import PATH, ClientMutations, ClientQueries

REGISTRY = Registry()
PROFILE = UserQueries.use_get_me_query.spec()


class Uncached(QueryGroup, domain="uncached", registry=REGISTRY):
    use_get_asker_query = query_endpoint(data=dict, url="/asker", cache=False)


class Mutations(MutationGroup, domain="uncached", registry=REGISTRY):
    use_end_mutation = mutation_endpoint(params=RowParams, url=f"{PATH}/{{id}}", method="DELETE").invalidates(
        query_key=Uncached.use_get_asker_query
    )
    use_rename_mutation = mutation_endpoint(data=dict, body=dict, url="/me/name", method="PUT").invalidates(
        query_key="user.get_me"
    )


@pytest.fixture
def ada(ada: User) -> User:
    """Her list and profile are cached."""
    ada.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    clients(ada)
    me(ada)
    return ada


def delete(user: User) -> Any:
    return ClientMutations.use_delete_client_mutation(user.request()).mutate(params={"id": "c5"})


class TestPermissions:
    def test_in_another_order_purge_nothing(self, ada: User) -> None:
        ada.backend.permissions["ada"].reverse()
        me(ada).refetch()
        with ada.reads(0):
            listed(ada)

    def test_purge_lists_that_the_request_has_read(self, ada: User) -> None:
        client = ada.request()
        listed(client)
        ada.backend.permissions["ada"] = ["ENERGY_APP"]
        asked = ada.backend.counted()["GET", "/me"]
        me(client).refetch()
        assert me(client).unwrap()["permissions"] == ["ENERGY_APP"]
        assert ada.backend.counted()["GET", "/me"] == asked + 1
        with ada.reads(1):
            listed(client)
        with ada.reads(0):
            listed(ada.elsewhere())

    def test_purge_for_a_follower_of_the_fetch(self, ada: User) -> None:
        """A process may end between the answer and its purge: whoever shows the answer purges."""
        ada.passes(301)
        ada.backend.permissions["ada"] = ["ENERGY_APP"]
        purges: list[object] = []
        caches = ada.process.runtime.caches
        purge, caches.purge = caches.purge, lambda *tokens: purges.append(tokens) or purge(*tokens)
        readers = [threading.Thread(target=me, args=(ada,)) for _ in range(2)]
        joined = threading.Event()
        join = ada.process.runtime.single_flight.join

        def watch(*args: Any, **options: Any) -> Any:
            found = join(*args, **options)
            if not found[1]:
                joined.set()
            return found

        ada.process.runtime.single_flight.join = watch
        ada.backend.inside = once(lambda: readers[1].start() or joined.wait(10), path="/me")
        readers[0].start()
        for reader in readers:
            reader.join(10)
        assert joined.is_set()
        assert len(purges) == 2

    @pytest.mark.parametrize("use", [one, delete], ids=["read", "write"])
    def test_that_changed_are_found_at_a_403(self, ada: User, use: Any) -> None:
        ada.backend.permissions["ada"] = ["FINANCE_APP"]
        use(ada)
        result = clients(ada.elsewhere())
        assert (type(result.error), result.data.items) == (ApiForbiddenError, ())


class TestPurge:
    def test_follows_a_401_past_a_refresh(self, ada: User) -> None:
        user = ada.backend.users.pop(ada.tokens.current.access)
        assert isinstance(one(ada).error, ApiUnauthorizedError)
        ada.backend.users[ada.tokens.current.access] = user
        with ada.reads(1):
            clients(ada)

    def test_follows_no_wrong_password(self, ada: User) -> None:
        ada.backend.failures = [ApiUnauthorizedError(status=401)]
        body = {"email": "ada@example.com", "password": "wrong"}
        assert AuthMutations.use_login_mutation(ada.request()).mutate(body=body).error is not None
        with ada.reads(0):
            clients(ada)

    def test_during_a_write_keeps_the_write(self, ada: User) -> None:
        def purge_and_read() -> None:
            ada.request().purge()
            clients(ada)

        ada.backend.before = once(purge_and_read, method="PATCH", path="/energy/clients/c5")
        rename(ada, "c5", "renamed")
        assert names(ada)["c5"] == "renamed"


def test_profile_proves_the_token_while_its_cache_lasts(ada: User) -> None:
    phone = ada.signed_in()
    assert (ada.request().is_accepted(), phone.request().is_accepted()) == (True, False)
    clients(phone)
    assert not phone.request().is_accepted()
    ada.store.down = True
    assert not ada.request().is_accepted()


def test_answer_that_is_no_profile_is_not_cached(ada: User) -> None:
    phone = ada.signed_in()
    ada.backend.open_paths["/me"] = ["no profile"]
    me(phone)
    assert not phone.request().is_accepted()


class TestTheFirstPage:
    """`/me` and the list of a new sign-in wait for each other nowhere."""

    def test_fetches_me_and_a_list_at_once(self, ada: User) -> None:
        phone, both = ada.elsewhere(pool=None).signed_in(), threading.Barrier(2, timeout=20)
        ada.backend.before = lambda *_: both.wait() and None
        client = phone.request()
        assert client.start(PROFILE)
        assert listed(client) == ["c5", "c4"]
        assert me(client).unwrap()["id"] == "ada"
        results = use_queries(phone.signed_in().request(), PROFILE, ClientQueries.use_get_clients_query.spec())
        assert [result.error for result in results] == [None, None]

    def test_shows_a_write_during_a_started_profile(self, ada: User) -> None:
        """The profile was begun before the write: it is asked for again."""
        phone, answered = ada.elsewhere(pool=None).signed_in(), threading.Event()
        ada.backend.open_paths = {"/me": {"id": "ada", "name": "Ada"}, "/me/name": {}}
        ada.backend.inside = lambda _method, path: answered.set() if path == "/me" else None
        client = phone.request()
        assert client.start(PROFILE)
        assert answered.wait(10)
        ada.backend.open_paths["/me"] = {"id": "ada", "name": "Countess"}
        Mutations.use_rename_mutation(client_of(client)).mutate(body={}).unwrap()
        assert me(client).unwrap()["name"] == "Countess"


class TestAnAnswerThatIsNotCached:
    def test_is_asked_for_by_each_request_and_after_writes(self, ada: User) -> None:
        ada.backend.open_paths["/asker"] = {"id": "who asks"}
        client = ada.request()
        with ada.reads(3):
            for asker in (ada, client, client):
                assert Uncached.use_get_asker_query(client_of(asker)).unwrap() == {"id": "who asks"}
            Mutations.use_end_mutation(client).mutate(params={"id": "c5"}).unwrap()
            Uncached.use_get_asker_query(client)
        assert not any("who asks" in text for text in ada.store.values.values())

    def test_is_the_list_of_sign_ins(self) -> None:
        assert not SignInQueries.use_get_sign_ins_query.cache


def test_tokens_of_two_users_write_nothing(ada: User) -> None:
    ada.passes(15 * 60)
    bens, tokens = ada.signed_in("ben").tokens.current, TokenStore(ada.tokens.current)
    client = ada.process.request_with(tokens)
    ada.backend.before = lambda _method, path: path == "/me" and tokens.rotate(bens, replaced="refresh of ada") and None
    assert me(client).error is not None
    assert ClientMutations.use_create_client_mutation(client).mutate(body=BODY).error is not None
    assert ada.backend.counted()["POST", "/energy/clients"] == 0
