"""`placeholder`: while the backend does not answer, a list's row stands in for a detail that is not cached.

That it shows nothing that the user deleted or changed since is what `query_machine` looks for.
"""

from __future__ import annotations

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
)
from portal.query.endpoints.registry import Registry
from portal.query.hooks.checks import check_registry
from tests.portal.query.fakes import Process, World, unavailable

if TYPE_CHECKING:
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
    #: It names the detail, and not the list that has the row too.
    use_archive_mutation = mutation_endpoint(params=RowParams, url=OF_A_ROW, method="DELETE").invalidates(
        query_key=Queries.use_get_row_query, get_params=same_params
    )


class Site:
    """A user's requests, while the backend answers and while it does not."""

    def __init__(self, world: World, process: Process, ada: TokenStore) -> None:
        self.world, self.process, self.tokens = world, process, ada

    def request(self, **options: Any) -> QueryClient:
        return self.process.request(self.tokens, registry=REGISTRY, **options)

    def read(self, row_id: str = "c5", client: QueryClient | None = None) -> Any:
        return Queries.use_get_row_query(client or self.request(), id=row_id)

    def fail(self, error: Exception | None = None, *, also_me: bool = False) -> None:
        def refuse(_method: str, path: str) -> None:
            if path != "/me" or also_me:
                raise error or unavailable()

        self.world.backend.before = refuse


@pytest.fixture
def site(world: World, process: Process, ada: TokenStore) -> Site:
    """Its first page is cached."""
    world.backend.rows.insert(0, {"id": 7, "name": "seven"})
    made = Site(world, process, ada)
    Queries.use_get_rows_query(made.request())
    return made


NO_ANSWERS = [
    *(unavailable(), unavailable(None), ApiTimeoutError("too late"), CircuitOpenError(was_sent=False)),
    ApiMalformedError("no JSON"),
]
REFUSALS = [ApiNotFoundError(status=404), ApiForbiddenError(status=403), ApiUnauthorizedError(status=401)]


@pytest.mark.parametrize("error", NO_ANSWERS, ids=repr)
def test_a_row_stands_in_while_the_backend_does_not_answer(site: Site, error: Exception) -> None:
    at = site.world.clock.now
    site.world.clock.now += 400
    site.fail(error)
    result = site.read()
    assert result.data == result.unwrap() == {"id": "c5", "name": "client 5"}
    assert isinstance(result.error, ApiUnavailableError)
    assert (result.is_placeholder, result.is_stale, result.fetched_at) == (True, True, at)
    assert site.read("7").unwrap()["name"] == "seven", "an id may be a number"
    assert site.read("c1").data is None, "on no page that is cached"


@pytest.mark.parametrize("error", REFUSALS, ids=repr)
def test_no_row_stands_in_for_what_the_backend_refuses(site: Site, error: Exception) -> None:
    site.fail(error)
    result = site.read()
    assert (result.data, result.is_placeholder) == (None, False)
    with pytest.raises(type(error)):
        result.unwrap()


def test_a_row_stands_in_for_one_request_until_the_backend_answers(site: Site) -> None:
    site.fail()
    client = site.request()
    calls = len(site.world.backend.calls)
    for _ in range(2):
        result = site.read("c5", client)
        assert result.data == {"id": "c5", "name": "client 5"}
        result.data.clear()
    assert len(site.world.backend.calls) == calls + 3, "one call with its tries"
    site.world.backend.before = None
    site.world.backend.rows[1]["name"] = "newer"
    again = result.refetch()
    assert (again.unwrap()["name"], again.is_placeholder, again.error) == ("newer", False, None)


def test_a_row_of_any_list_that_the_request_has_read_stands_in(site: Site) -> None:
    client = site.request()
    Queries.use_get_rows_query(client, q="client 1")
    site.fail()
    assert site.read("c1", client).unwrap()["name"] == "client 1"
    client.purge()
    assert site.read("c1", client).data is None
    assert site.read("c5", client).data is None


def test_no_row_stands_in_for_a_detail_that_is_cached(site: Site) -> None:
    site.world.backend.rows[1]["more"] = "detail"
    site.read()
    site.world.clock.now += 400
    site.fail()
    shown = site.read("c5", site.request(reload=True))
    assert (shown.error is None, shown.data["more"], shown.is_placeholder) == (False, "detail", False)


@pytest.mark.parametrize("reads_first", [True, False], ids=["also read in the request", "cached"])
def test_no_row_stands_in_that_was_deleted_beside_the_list(site: Site, reads_first: bool) -> None:
    client = site.request()
    if reads_first:
        Queries.use_get_rows_query(client)
    Mutations.use_archive_mutation(client).mutate(params=RowParams(id="c5"))
    site.fail()
    assert site.read("c5", client).data is None
    assert site.read().data is None
    assert site.read("7").is_placeholder


def test_no_row_stands_in_for_another_user_or_a_token_that_nobody_knows_or_without_a_store(site: Site) -> None:
    ben = Site(site.world, site.process, site.world.backend.sign_in("ben"))
    Queries.use_get_rows_query(ben.request(), q="nothing")
    unknown = Site(site.world, site.process, site.world.backend.sign_in("ada"))
    site.fail(also_me=True)
    assert [each.read().is_placeholder for each in (ben, unknown, site)] == [False, False, True]
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


def test_a_placeholder_that_is_no_list_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="placeholder should be the hook of a list"):
        query_endpoint(data=dict, params=RowParams, url=OF_A_ROW, placeholder="stand_ins.get_rows")  # type: ignore[call-overload]  the mistake


class _Needs(Params):
    owner: str


class _Owned(QueryGroup, domain="faulty", registry=Registry()):
    use_get_owned_query = paginated_query_endpoint(item=dict, params=_Needs, url="/owned")


@pytest.mark.parametrize(
    ("listed", "params", "told"),
    [
        (paginated_query_endpoint(item=dict, url=PATH), RowParams, "QueryGroup"),
        (_listed, None, "this query has no such parameter"),
        (_Owned.use_get_owned_query, RowParams, "the parameter owner is missing"),
        (_listed, RowParams, None),
    ],
)
def test_a_list_that_can_stand_in_for_nothing_is_an_error_at_start(listed: Any, params: Any, told: str | None) -> None:
    registry = Registry()

    class OwnQueries(QueryGroup, domain="faulty", registry=registry):
        use_get_one_query = query_endpoint(
            data=dict, params=params, url=OF_A_ROW if params else "/one", placeholder=listed
        )

    faults = check_registry(registry)
    assert [fault.id for fault in faults] == (["portal.query.E013"] if told else [])
    assert all((told or "") in fault.msg for fault in faults)
