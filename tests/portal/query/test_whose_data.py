"""Namespaces and proofs: which token may read what (the query design, "Whose data")."""

from __future__ import annotations

import time

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiForbiddenError, ApiRejectedError, ApiUnavailableError, SignInEndedError
from portal.query import create_query_client
from portal.query.namespaces import Namespaces, principal_of
from portal.services.auth import AuthMutations
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeStore, Process, World, make_token


def ids(result) -> list[str]:
    return [row["id"] for row in result.data.items]


def proofs(world: World) -> int:
    return sum(key.startswith("proof:") for key in world.store.values)


class TestProof:
    def test_the_first_query_of_a_token_asks_for_the_profile_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client = process.request(ada)
        ClientQueries.use_get_clients_query(client)
        UserQueries.use_get_me_query(client)
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.counted()["GET", "/me"] == 1

    def test_another_process_takes_the_proof_from_the_store(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        assert ids(ClientQueries.use_get_clients_query(world.process().request(ada))) == ["c5", "c4"]
        assert len(world.backend.calls) == 2

    def test_two_tokens_of_one_user_share_what_is_cached(self, world: World, process: Process) -> None:
        phone, laptop = world.backend.sign_in("ada"), world.backend.sign_in("ada")
        ClientQueries.use_get_clients_query(process.request(phone))
        ClientMutations.use_delete_client_mutation(process.request(laptop)).mutate(params={"id": "c5"})
        assert ids(ClientQueries.use_get_clients_query(process.request(phone))) == ["c4"]
        assert world.backend.reads() == 1

    def test_with_the_profile_failing_a_query_goes_on_without_the_cache(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.failures = [ApiUnavailableError(status=503)] * 3
        client = process.request(ada)
        assert ids(ClientQueries.use_get_clients_query(client)) == ["c5", "c4"]
        assert isinstance(UserQueries.use_get_me_query(client).error, ApiUnavailableError)
        assert world.backend.counted()["GET", "/me"] == 3, "tried once, with its retries, by whoever asks"
        assert not any("cli" in key for key in world.store.values)
        assert proofs(world) == 0

    def test_a_profile_without_an_id_proves_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/me": {"permissions": ["ENERGY_APP"]}}
        ClientQueries.use_get_clients_query(process.request(ada))
        assert proofs(world) == 0

    @pytest.mark.parametrize("profile", [None, [], "ada", {"id": ""}, {"id": None}, {"id": True}, {"id": ["ada"]}])
    def test_only_a_string_or_a_number_names_a_principal(self, profile: object) -> None:
        assert principal_of(profile) is None

    def test_a_number_names_the_same_principal_as_its_digits(self) -> None:
        assert principal_of({"id": 7}) == principal_of({"id": "7"})

    def test_the_answer_that_came_before_the_proof_is_not_stored(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """Its request left before anyone knew in which log of writes to look."""
        UserQueries.use_get_me_query(process.request(ada))
        UserQueries.use_get_me_query(process.request(ada))
        UserQueries.use_get_me_query(process.request(ada))
        assert world.backend.counted()["GET", "/me"] == 2

    def test_nothing_is_cached_for_nobody(self, world: World, process: Process) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [{"id": "x"}], "hasNext": False}}
        assert ids(ClientQueries.use_get_clients_query(process.request(TokenStore()))) == ["x"]
        assert [key for key in world.store.values if not key.startswith("sum:")] == []

    def test_a_token_that_has_expired_since_opens_nothing(self, world: World, process: Process) -> None:
        """Without a refresh token nothing renews it: the backend has the word."""
        token = make_token("ada", exp=int(time.time()) - 29)
        world.backend.users[token] = "ada"
        tokens = TokenStore(TokenPair(access=token))
        for _ in range(2):
            ClientQueries.use_get_clients_query(process.request(tokens))
        assert world.backend.reads() == 1, "within the leeway"
        late = Namespaces(store=world.store, clock=lambda: time.time() + 31)
        assert late.scope_of(token) is None
        assert Namespaces(store=world.store).scope_of(token) is not None

    @pytest.mark.parametrize("stored", [None, "x", [], ["p"], ["p", "n"], ["p", "n", "x"], [1, "n", None]])
    def test_what_is_no_proof_opens_nothing(self, world: World, stored: object) -> None:
        token = make_token("ada")
        Namespaces(store=world.store).prove(token, {"id": "ada"})
        [name] = [key for key in world.store.values if key.startswith("proof:")]
        world.store.set(name, stored, lifetime_s=None)
        assert Namespaces(store=world.store).scope_of(token) is None


class TestRefresh:
    def renew(self, world: World, to: str) -> None:
        """The next look at the token's end finds it expired, and refreshes."""
        new = make_token(to)
        world.backend.users[new] = to

        def refresh(tokens: TokenStore) -> None:
            if tokens.current.access not in {new, None}:
                tokens.renew(TokenPair(access=new, refresh="next"), spent=tokens.current.refresh or "")

        world.backend.refresh = refresh

    def test_an_expired_token_is_refreshed_before_the_first_read_also_when_all_is_cached(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        self.renew(world, "ada")
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        assert ids(ClientQueries.use_get_clients_query(client)) == ["c5", "c4"]
        assert tokens.changed
        assert len(world.backend.calls) == 2, "the proof was handed on: nothing is asked again"

    def test_a_refresh_that_cant_be_had_now_is_an_error_without_data(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))

        def fail(tokens: TokenStore) -> None:
            raise ApiUnavailableError("busy")

        world.backend.refresh = fail
        result = ClientQueries.use_get_clients_query(process.request(ada))
        assert isinstance(result.error, ApiUnavailableError)
        assert result.data.items == ()
        write = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        assert isinstance(write.error, ApiUnavailableError)

    def test_a_sign_in_that_ended_is_raised_and_purges(self, world: World, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))

        def end(tokens: TokenStore) -> None:
            tokens.end(refused=tokens.current.refresh or "")
            raise SignInEndedError("over")

        world.backend.refresh = end
        client = process.request(ada)
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(client)
        with pytest.raises(SignInEndedError):
            ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
        world.backend.refresh = None
        reads = world.backend.reads()
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == reads + 1

    def test_a_refresh_to_another_subject_hands_nothing_on(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """A browser may hold ada's access token and ben's refresh token."""
        ClientQueries.use_get_clients_query(process.request(ada))
        self.renew(world, "ben")
        world.backend.rows.insert(0, {"id": "for ben", "name": ""})
        assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == ["for ben", "c5"]
        world.backend.refresh = None
        assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == ["c5", "c4"], "ada's are as they were"

    def test_an_answer_that_came_under_another_users_token_is_neither_stored_nor_shown(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada), {"q": "5"})
        bens = make_token("ben")
        world.backend.users[bens] = "ben"
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        world.backend.before = lambda *_: tokens.renew(TokenPair(access=bens, refresh="r"), spent="refresh of ada")
        result = ClientQueries.use_get_clients_query(client)
        assert isinstance(result.error, ApiRejectedError)
        assert result.data.items == ()
        world.backend.before = None
        world.backend.rows.clear()
        assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == []

    @pytest.mark.parametrize("new", ["not a token", ""])
    def test_a_token_that_names_no_subject_inherits_nothing(self, new: str) -> None:
        namespaces = Namespaces(store=FakeStore())
        old = make_token("ada")
        namespaces.prove(old, {"id": "ada"})
        assert namespaces.inherit(old=old, new=new) is None
        assert namespaces.inherit(old="unproven", new=old) is None

    def test_an_opaque_token_works_without_being_shared(self, world: World, process: Process) -> None:
        world.backend.users = {"opaque": "ada", "opaque too": "ada"}
        tokens = TokenStore(TokenPair(access="opaque", refresh="r"))
        ClientQueries.use_get_clients_query(process.request(tokens))
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        world.backend.inside = lambda *_: tokens.renew(TokenPair(access="opaque too", refresh="s"), spent="r")
        assert ids(ClientQueries.use_get_clients_query(client, {"q": "5"})) == ["c5"]


class TestPurge:
    def test_a_401_past_a_refresh_purges(self, world: World, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        user = world.backend.users.pop(ada.current.access or "")
        assert isinstance(
            ClientQueries.use_get_client_query(process.request(ada), {"id": "c5"}).error, ApiRejectedError
        )
        world.backend.users[ada.current.access or ""] = user
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.counted()["GET", "/energy/clients"] == 2

    def test_a_wrong_password_purges_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.failures = [ApiRejectedError(status=401)]
        body = {"email": "ada@example.com", "password": "wrong"}
        assert AuthMutations.use_login_mutation(process.request(ada)).mutate(body=body).error is not None
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == 1

    def test_a_403_asks_for_the_profile_once_and_keeps_what_is_cached_if_nothing_changed(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        UserQueries.use_get_me_query(process.request(ada))
        world.backend.calls.clear()
        world.backend.failures = [ApiForbiddenError(status=403), None, ApiForbiddenError(status=403)]
        client = process.request(ada)
        assert isinstance(ClientQueries.use_get_client_query(client, {"id": "c5"}).error, ApiForbiddenError)
        assert isinstance(ClientQueries.use_get_client_query(client, {"id": "c4"}).error, ApiForbiddenError)
        assert world.backend.counted()["GET", "/me"] == 1
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.counted()["GET", "/energy/clients"] == 0

    @pytest.mark.parametrize("write", [False, True])
    def test_a_403_purges_if_the_permissions_changed(
        self, world: World, process: Process, ada: TokenStore, write: bool
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.permissions["ada"] = ["FINANCE_APP"]
        if write:
            client = process.request(ada)
            ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
        else:
            ClientQueries.use_get_client_query(process.request(ada), {"id": "c5"})
        result = ClientQueries.use_get_clients_query(world.process().request(ada))
        assert isinstance(result.error, ApiForbiddenError)
        assert result.data.items == ()

    def test_a_profile_with_other_permissions_purges(self, world: World, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.permissions["ada"] = ["FINANCE_APP"]
        UserQueries.use_get_me_query(process.request(ada)).refetch()
        result = ClientQueries.use_get_clients_query(process.request(ada))
        assert isinstance(result.error, ApiForbiddenError)

    def test_the_order_of_permissions_changes_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
        ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.permissions["ada"] = ["FINANCE_APP", "ENERGY_APP"]
        UserQueries.use_get_me_query(process.request(ada)).refetch()
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == 1

    def test_a_request_that_purges_shows_nothing_that_it_remembers(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client = process.request(ada)
        ClientQueries.use_get_clients_query(client)
        client.purge()
        world.backend.rows.clear()
        assert ids(ClientQueries.use_get_clients_query(client)) == []

    def test_a_write_under_way_during_a_purge_shows_in_what_is_cached_after_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))

        def purge_and_read(method: str, path: str) -> None:
            if method == "PATCH":
                world.backend.before = None
                process.request(ada).purge()
                ClientQueries.use_get_clients_query(process.request(ada))

        world.backend.before = purge_and_read
        mutation = ClientMutations.use_update_client_mutation(process.request(ada))
        mutation.mutate(body={"name": "renamed"}, params={"id": "c5"}).unwrap()
        shown = ClientQueries.use_get_clients_query(process.request(ada)).data.items
        assert shown[0]["name"] == "renamed"

    def test_a_sign_in_as_another_user_within_a_request_forgets_what_it_read(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ada"
        tokens.replace(world.backend.sign_in("ben").current)
        assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ben"
        tokens.clear()
        assert isinstance(UserQueries.use_get_me_query(client).error, ApiRejectedError)

    def test_a_sign_in_during_a_read_leaves_nothing_of_the_user_before_in_the_requests_memory(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        world.clock.now += 301
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        bens = world.backend.sign_in("ben").current
        world.backend.inside = lambda _method, _path: tokens.replace(bens)
        assert isinstance(ClientQueries.use_get_clients_query(client).error, ApiRejectedError)
        world.backend.inside = None
        world.backend.rows = [{"id": "b1", "name": "ben's"}]
        result = ClientQueries.use_get_clients_query(client)
        assert result.error is None
        assert ids(result) == ["b1"]

    def test_a_sign_in_between_look_up_and_call_stores_nothing_for_the_user_before(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada), {"q": "5"})
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, shared=process.shared, clock=world.clock)
        bens = world.backend.sign_in("ben").current
        looked: list[str] = []

        def sign_in(operation: str) -> None:
            looked.append(operation)
            if operation == "get_many":
                world.store.before_each = None
                tokens.replace(bens)

        world.store.before_each = sign_in
        ClientQueries.use_get_clients_query(client)
        world.backend.rows.clear()
        assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == []


class TestSignedOutTokens:
    """A valid access token that was signed out: the backend may still accept it, the portal does not."""

    def test_the_next_request_with_them_is_given_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        process.request(ada).purge()
        world.backend.signed_out.add(ada.current.access)
        calls = len(world.backend.calls)
        for replaying in (process, world.process()):
            with pytest.raises(SignInEndedError):
                ClientQueries.use_get_clients_query(replaying.request(ada))
            with pytest.raises(SignInEndedError):
                UserQueries.use_get_me_query(replaying.request(ada))
        assert len(world.backend.calls) == calls

    def test_another_sign_in_of_the_same_user_does_not_open_the_door_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        process.request(ada).purge()
        world.backend.signed_out.add(ada.current.access)
        ClientQueries.use_get_clients_query(process.request(world.backend.sign_in("ada")))
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(process.request(ada))

    def test_a_sign_out_while_the_profile_is_on_its_way_leaves_no_proof_that_opens_anything(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        def sign_out(_method: str, _path: str) -> None:
            world.backend.inside = None
            world.backend.signed_out.add(ada.current.access)
            process.request(ada).purge()

        world.backend.inside = sign_out
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(process.request(ada))
        calls = len(world.backend.calls)
        for replaying in (process, world.process()):
            with pytest.raises(SignInEndedError):
                ClientQueries.use_get_clients_query(replaying.request(ada))
        assert len(world.backend.calls) == calls

    def test_a_write_with_them_is_not_sent(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.signed_out.add(ada.current.access)
        with pytest.raises(SignInEndedError):
            ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        assert world.backend.counted()["DELETE", "/energy/clients/c5"] == 0

    def test_a_token_with_a_proof_that_stands_is_not_asked_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        asked = world.backend.tombstones_asked
        ClientQueries.use_get_clients_query(process.request(ada))
        ClientQueries.use_get_clients_query(world.process().request(ada))
        assert world.backend.tombstones_asked == asked

    def test_a_sign_out_with_older_tokens_drops_what_the_newer_ones_cached(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        older = TokenStore(TokenPair(access=make_token("ada"), refresh="refresh of ada"))
        ClientQueries.use_get_clients_query(process.request(ada))
        process.request(older).purge(also=[ada.current.access])
        reads = world.backend.reads()
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == reads + 1
