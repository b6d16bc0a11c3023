"""Two tokens of one user: each keeps what it has cached with its permissions, and is told what is about itself alone."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from portal.query import (
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.services.iam.sign_ins import SignInQueries
from tests.portal.query.clients import create, listed, me, names, once, rename
from tests.portal.query.world import User
from tests.support.client_endpoints import PATH

REGISTRY = Registry()


class Queries(QueryGroup, domain="uncached", registry=REGISTRY):
    use_get_asker_query = query_endpoint(data=dict, url="/asker", cache=False)
    use_get_rows_query = paginated_query_endpoint(item=dict, url=PATH, cache=False)


class Mutations(MutationGroup, domain="uncached", registry=REGISTRY):
    use_end_mutation = mutation_endpoint(
        params=RowParams, url=f"{PATH}/{{id}}", method="DELETE"
    ).remove_from_paginated_list(list_query_key=Queries.use_get_rows_query)


class TestWithDifferentPermissions:
    """As OAuth scopes give them."""

    @pytest.fixture
    def wide(self, ada: User) -> User:
        """Another sign-in of Ada's, whose profile names one permission more, and whose list one row more."""
        wide, do = ada.signed_in(), ada.backend._do

        def answer(token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
            is_wide = token == wide.tokens.current.access
            if path == "/me" and is_wide:
                return {"id": "ada", "permissions": ["ENERGY_APP", "IAM_ADMIN"]}
            found = do(token, method, path, params, body)
            if "items" in (found or {}) and is_wide:
                return {**found, "items": [{"id": "hidden", "name": "for the wide one"}, *found["items"]]}
            return found

        ada.backend._do = answer
        return wide

    def read(self, *users: User) -> None:
        for _ in range(2):
            for user in users:
                assert ("hidden" in listed(user)) is (user is not users[0])

    def test_they_do_not_take_or_see_each_others_cached_data(self, ada: User, wide: User) -> None:
        self.read(ada, wide)
        self.read(ada, wide)
        # The first binding of the second token begins a generation, as that of any other token does.
        assert ada.backend.counted() == {("GET", "/me"): 2, ("GET", "/energy/clients"): 3}

    def test_they_do_not_join_each_others_fetches(self, ada: User, wide: User) -> None:
        me(ada)
        me(wide)
        seen: list[list[str]] = []
        other = threading.Thread(target=lambda: seen.append(listed(ada)))
        ada.backend.inside = once(lambda: other.start() or other.join(1))
        with ada.reads(2):
            assert "hidden" in listed(wide)
            other.join(5)
        assert seen == [["c5", "c4"]]

    def test_they_see_each_others_writes(self, ada: User, wide: User) -> None:
        self.read(ada, wide)
        made = create(wide)
        rename(ada, "c5", "renamed")
        for user in (ada, wide):
            assert {made: "new", "c5": "renamed"}.items() <= names(user).items()

    def test_permissions_of_one_that_change_take_all_of_it_away(self, ada: User, wide: User) -> None:
        self.read(ada, wide)
        ada.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
        me(ada).refetch()
        with ada.reads(2):
            listed(ada)
            listed(wide)


class TestAnAnswerThatIsNotCached:
    @pytest.fixture
    def ada(self, ada: User) -> User:
        ada.backend.open_paths["/asker"] = {"id": "who asks"}
        me(ada)
        return ada

    def test_is_asked_each_time_and_never_stored(self, ada: User) -> None:
        with ada.reads(4):
            for user in (ada, ada):
                client = user.request()
                for _ in range(2):
                    assert Queries.use_get_asker_query(client).unwrap() == {"id": "who asks"}
                    assert Queries.use_get_rows_query(client).data.items[0]["id"] == "c5"
        assert not any("who asks" in text or "client 5" in text for text in ada.store.values.values())

    def test_is_fetched_anew_within_the_request_after_a_write(self, ada: User) -> None:
        client = ada.request()
        with ada.reads(2):
            Queries.use_get_rows_query(client)
            Mutations.use_end_mutation(client).mutate(params={"id": "c5"}).unwrap()
            assert Queries.use_get_rows_query(client).data.items[0]["id"] == "c4"


def test_the_list_of_sign_ins_is_not_cached() -> None:
    assert not SignInQueries.use_get_sign_ins_query.cache
