"""`placeholder`: while the backend does not answer, a list's row stands in for a detail that is not cached."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import (
    ApiForbiddenError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiTimeoutError,
    ApiUnauthorizedError,
    ApiUnavailableError,
    CircuitOpenError,
    UsageError,
)
from portal.query import (
    ListParams,
    MutationGroup,
    Params,
    QueryGroup,
    Row,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    resource,
    same_params,
    use_queries,
)
from portal.query.endpoints.registry import Registry
from portal.query.hooks.checks import check_registry
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore
    from portal.query import QueryClient

REGISTRY = Registry()
PATH, OF_A_ROW = "/energy/clients", "/energy/clients/{id}"

#: Declared before its group names it, as `resource` does.
_listed = paginated_query_endpoint(item=dict, params=ListParams, url=PATH)


class Queries(QueryGroup, domain="stand_ins", registry=REGISTRY):
    use_get_row_query = query_endpoint(data=dict, params=RowParams, url=OF_A_ROW, placeholder=_listed)
    use_get_rows_query = _listed


class Mutations(MutationGroup, domain="stand_ins", registry=REGISTRY):
    use_update_mutation = (
        mutation_endpoint(data=dict, body=dict, params=RowParams, url=OF_A_ROW, method="PATCH")
        .merge_updated_in_paginated_list(list_query_key=_listed)
        .set_answer(query_key=Queries.use_get_row_query)
    )
    use_delete_mutation = mutation_endpoint(params=RowParams, url=OF_A_ROW, method="DELETE").remove_from_paginated_list(
        list_query_key=_listed
    )
    #: It names the detail, and not the list that has the row too.
    use_archive_mutation = mutation_endpoint(params=RowParams, url=OF_A_ROW, method="DELETE").invalidates(
        query_key=Queries.use_get_row_query, get_params=same_params
    )


@dataclasses.dataclass
class Site:
    """A user's requests, while the backend answers and while it does not."""

    world: World
    process: Process
    tokens: TokenStore

    def request(self, **options: Any) -> QueryClient:
        return self.process.request(self.tokens, registry=REGISTRY, **options)

    def list_rows(self, *, pages: int = 1, **params: Any) -> None:
        Queries.use_get_rows_query(self.request(), params, pages=pages)

    def read(self, row_id: str = "c5", client: QueryClient | None = None) -> Any:
        return Queries.use_get_row_query(client or self.request(), id=row_id)

    def fail(self, error: Callable[[], Exception] = unavailable) -> None:
        def refuse(_method: str, path: str) -> None:
            if path != "/me":
                raise error()

        self.world.backend.before = refuse

    def answer_again(self) -> None:
        self.world.backend.before = None


@pytest.fixture
def site(world: World, process: Process, ada: TokenStore) -> Site:
    return Site(world, process, ada)


class TestItStandsIn:
    @pytest.mark.parametrize(
        "error",
        [
            unavailable,
            lambda: unavailable(None),
            lambda: ApiTimeoutError("too late"),
            lambda: CircuitOpenError(was_sent=False),
            lambda: ApiMalformedError("no JSON"),
        ],
        ids=["503", "refused", "timed out", "circuit open", "malformed"],
    )
    def test_while_the_backend_does_not_answer(self, site: Site, error: Any) -> None:
        site.list_rows()
        at = site.world.clock.now
        site.world.clock.now += 400
        site.fail(error)
        result = site.read()
        assert result.data == result.unwrap() == {"id": "c5", "name": "client 5"}
        assert isinstance(result.error, ApiUnavailableError)
        assert (result.is_placeholder, result.is_stale, result.fetched_at) == (True, True, at)

    def test_in_all_processes(self, site: Site) -> None:
        site.list_rows()
        site.process = site.world.process()
        site.fail()
        assert site.read().unwrap()["name"] == "client 5"

    def test_from_each_page_that_is_cached(self, site: Site) -> None:
        site.list_rows(pages=2)
        site.fail()
        assert site.read("c2").unwrap()["name"] == "client 2"
        assert site.read("c1").data is None, "the third page was not loaded"

    def test_from_what_the_request_has_read(self, site: Site) -> None:
        client = site.request()
        Queries.use_get_rows_query(client, q="client 1")
        site.fail()
        assert site.read("c1", client).unwrap()["name"] == "client 1"
        assert site.read("c1").data is None, "no list without parameters is cached"

    def test_with_what_the_user_has_changed(self, site: Site) -> None:
        site.list_rows()
        Mutations.use_update_mutation(site.request()).mutate(body={"name": "renamed"}, params=RowParams(id="c5"))
        for key in [key for key, value in site.world.store.values.items() if ":variant:" in key]:
            del site.world.store.values[key]
        site.fail()
        result = site.read()
        assert (result.unwrap()["name"], result.is_placeholder) == ("renamed", True)

    def test_in_queries_side_by_side(self, site: Site) -> None:
        site.list_rows()
        site.fail()
        spec = Queries.use_get_row_query.spec
        first, second = use_queries(site.request(), spec(id="c5"), spec(id="c1"))
        assert (first.is_placeholder, second.is_placeholder) == (True, False)

    def test_for_the_rest_of_the_request(self, site: Site) -> None:
        site.list_rows()
        site.fail()
        client = site.request()
        calls = len(site.world.backend.calls)
        for _ in range(2):
            assert site.read("c5", client).is_placeholder
        assert len(site.world.backend.calls) == calls + 3, "one call with its tries"

    def test_until_the_backend_answers(self, site: Site) -> None:
        site.list_rows()
        site.fail()
        client = site.request()
        result = site.read("c5", client)
        site.answer_again()
        site.world.backend.rows[0]["name"] = "newer"
        again = result.refetch()
        assert (again.unwrap()["name"], again.is_placeholder, again.error) == ("newer", False, None)
        assert site.read().unwrap()["name"] == "newer"

    def test_and_what_a_view_does_with_it_changes_nothing(self, site: Site) -> None:
        site.list_rows()
        site.fail()
        client = site.request()
        site.read("c5", client).data.clear()
        assert site.read("c5", client).data == {"id": "c5", "name": "client 5"}
        assert site.read().data == {"id": "c5", "name": "client 5"}

    def test_where_ids_are_numbers(self, site: Site) -> None:
        site.world.backend.rows.insert(0, {"id": 7, "name": "seven"})
        site.list_rows()
        site.fail()
        assert site.read("7").unwrap()["name"] == "seven"


class TestItDoesNotStandIn:
    @pytest.mark.parametrize(
        "error",
        [
            lambda: ApiNotFoundError("gone", status=404),
            lambda: ApiForbiddenError("no", status=403),
            lambda: ApiUnauthorizedError("who?", status=401),
        ],
        ids=["404", "403", "401"],
    )
    def test_for_what_the_backend_refuses(self, site: Site, error: Any) -> None:
        site.list_rows()
        site.fail(error)
        result = site.read()
        assert (result.data, result.is_placeholder) == (None, False)
        with pytest.raises(type(error())):
            result.unwrap()

    def test_for_a_detail_that_is_cached(self, site: Site) -> None:
        site.list_rows()
        site.world.backend.rows[0]["more"] = "detail"
        site.read()
        site.world.clock.now += 400
        site.fail()
        site.world.background.run()
        result = site.request(reload=True)
        shown = site.read("c5", result)
        assert shown.error is not None
        assert (shown.data["more"], shown.is_placeholder) == ("detail", False)

    def test_for_a_row_that_the_user_deleted(self, site: Site) -> None:
        site.list_rows()
        Mutations.use_delete_mutation(site.request()).mutate(params=RowParams(id="c5"))
        site.fail()
        assert site.read().data is None

    def test_for_one_that_may_be_deleted(self, site: Site) -> None:
        site.list_rows()
        site.fail(lambda: unavailable(None, was_sent=True))
        assert not Mutations.use_delete_mutation(site.request()).mutate(params=RowParams(id="c5")).is_success
        assert site.read().data is None

    @pytest.mark.parametrize("reads_first", [True, False], ids=["also read in the request", "cached"])
    def test_for_one_that_was_deleted_beside_the_list(self, site: Site, reads_first: bool) -> None:
        client = site.request()
        if reads_first:
            Queries.use_get_rows_query(client)
        else:
            site.list_rows()
        Mutations.use_archive_mutation(client).mutate(params=RowParams(id="c5"))
        site.fail()
        assert site.read("c5", client).data is None
        assert site.read().data is None
        assert site.read("c4").is_placeholder

    def test_for_another_user(self, site: Site) -> None:
        site.list_rows()
        ben = Site(site.world, site.process, site.world.backend.sign_in("ben"))
        Queries.use_get_rows_query(ben.request(), q="nothing")
        site.fail()
        assert ben.read().data is None

    def test_after_a_sign_out(self, site: Site) -> None:
        site.list_rows()
        client = site.request()
        Queries.use_get_rows_query(client)
        client.purge()
        site.fail()
        assert site.read("c5", client).data is None
        assert site.read().data is None

    def test_for_a_token_that_nobody_knows(self, site: Site) -> None:
        site.list_rows()
        other = Site(site.world, site.process, site.world.backend.sign_in("ada"))
        site.world.backend.before = lambda _method, _path: (_ for _ in ()).throw(unavailable())
        assert other.read().data is None

    def test_with_a_row_that_is_too_old(self, site: Site) -> None:
        site.list_rows()
        site.world.clock.now += PAST_ITS_LIFE_S
        # The store forgets pages by itself.
        site.world.store.values = {
            key: value for key, value in site.world.store.values.items() if "client" not in value
        }
        site.fail()
        assert site.read().data is None

    def test_while_the_store_is_down(self, site: Site) -> None:
        site.list_rows()
        site.fail()
        site.world.store.down = True
        assert site.read().data is None


def test_a_list_that_no_group_names_has_no_rows(site: Site) -> None:
    registry = Registry()

    class OwnQueries(QueryGroup, domain="own", registry=registry):
        use_get_row_query = resource(PATH, item=Row, placeholder=True).detail

    site.fail()
    result = OwnQueries.use_get_row_query(site.process.request(site.tokens, registry=registry), id="c5")
    assert isinstance(result.error, ApiUnavailableError)
    assert result.data is None
    assert check_registry(registry) == []


def test_a_read_that_needs_none_asks_for_none(site: Site) -> None:
    site.list_rows()
    site.read()
    trips = site.world.store.trips
    assert not site.read().is_placeholder
    assert site.world.store.trips == trips + 1


def test_a_placeholder_that_is_no_list_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="placeholder should be the hook of a list"):
        query_endpoint(data=dict, params=RowParams, url=OF_A_ROW, placeholder="stand_ins.get_rows")  # type: ignore[call-overload]  the mistake


class _Needs(Params):
    owner: str


@pytest.mark.parametrize(
    ("listed", "params", "told"),
    [
        (paginated_query_endpoint(item=dict, url=PATH), RowParams, "QueryGroup"),
        (_listed, None, "this query has no such parameter"),
        (_listed, RowParams, None),
    ],
)
def test_one_that_can_stand_in_for_nothing_is_an_error_at_start(listed: Any, params: Any, told: str | None) -> None:
    registry = Registry()

    class OwnQueries(QueryGroup, domain="faulty", registry=registry):
        use_get_one_query = query_endpoint(
            data=dict, params=params, url=OF_A_ROW if params else "/one", placeholder=listed
        )

    faults = check_registry(registry)
    assert [fault.id for fault in faults] == (["portal.query.E013"] if told else [])
    assert all((told or "") in fault.msg for fault in faults)


def test_so_is_a_list_that_needs_parameters() -> None:
    registry = Registry()

    class OwnQueries(QueryGroup, domain="faulty", registry=registry):
        use_get_owned_query = paginated_query_endpoint(item=dict, params=_Needs, url="/owned")
        use_get_one_query = query_endpoint(data=dict, params=RowParams, url=OF_A_ROW, placeholder=use_get_owned_query)

    [fault] = check_registry(registry)
    assert fault.id == "portal.query.E013"
    assert "the parameter owner is missing" in fault.msg
