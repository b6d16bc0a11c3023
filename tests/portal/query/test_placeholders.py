"""`placeholder`: while the backend does not answer, a list's row stands in for a detail that is not cached.

That it shows nothing that the user deleted or changed since is what `query_machine` looks for.
"""

from __future__ import annotations

from typing import Any

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
from tests.portal.query.clients import client_of
from tests.portal.query.fakes import User, unavailable

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


def read(who: Any, row_id: str = "c5") -> Any:
    return Queries.use_get_row_query(client_of(who), id=row_id)


def fail(user: User, error: Exception | None = None, *, also_me: bool = False) -> None:
    """From now on, the backend does not answer."""

    def refuse(_method: str, path: str) -> None:
        if path != "/me" or also_me:
            raise error or unavailable()

    user.backend.before = refuse


@pytest.fixture
def ada(ada: User) -> User:
    """Her first page is cached."""
    ada.registry = REGISTRY
    ada.backend.rows.insert(0, {"id": 7, "name": "seven"})
    Queries.use_get_rows_query(ada.request())
    return ada


NO_ANSWERS = [
    *(unavailable(), unavailable(None), ApiTimeoutError("too late"), CircuitOpenError(was_sent=False)),
    ApiMalformedError("no JSON"),
]
REFUSALS = [ApiNotFoundError(status=404), ApiForbiddenError(status=403), ApiUnauthorizedError(status=401)]


@pytest.mark.parametrize("error", NO_ANSWERS, ids=repr)
def test_a_row_stands_in_while_the_backend_does_not_answer(ada: User, error: Exception) -> None:
    at = ada.world.clock.now
    ada.passes(400)
    fail(ada, error)
    result = read(ada)
    assert result.data == result.unwrap() == {"id": "c5", "name": "client 5"}
    assert isinstance(result.error, ApiUnavailableError)
    assert (result.is_placeholder, result.is_stale, result.fetched_at) == (True, True, at)
    assert read(ada, "7").unwrap()["name"] == "seven", "an id may be a number"
    assert read(ada, "c1").data is None, "on no page that is cached"


@pytest.mark.parametrize("error", REFUSALS, ids=repr)
def test_no_row_stands_in_for_what_the_backend_refuses(ada: User, error: Exception) -> None:
    fail(ada, error)
    result = read(ada)
    assert (result.data, result.is_placeholder) == (None, False)
    with pytest.raises(type(error)):
        result.unwrap()


def test_a_row_stands_in_for_one_request_until_the_backend_answers(ada: User) -> None:
    fail(ada)
    client = ada.request()
    with ada.reads(3):  # one call with its tries
        for _ in range(2):
            result = read(client)
            assert result.data == {"id": "c5", "name": "client 5"}
            result.data.clear()
    ada.backend.before = None
    ada.backend.rows[1]["name"] = "newer"
    again = result.refetch()
    assert (again.unwrap()["name"], again.is_placeholder, again.error) == ("newer", False, None)
    ada.passes(400)
    fail(ada)
    kept = read(ada.request(reload=True))
    assert (kept.error is None, kept.data["name"], kept.is_placeholder) == (False, "newer", False), "it is cached"


def test_a_row_of_any_list_that_the_request_has_read_stands_in(ada: User) -> None:
    client = ada.request()
    Queries.use_get_rows_query(client, q="client 1")
    fail(ada)
    assert read(client, "c1").unwrap()["name"] == "client 1"
    client.purge()
    assert read(client, "c1").data is read(client).data is None


def test_no_row_stands_in_of_a_list_that_was_invalidated(ada: User) -> None:
    Queries.use_get_rows_query.invalidate(ada.request())
    fail(ada)
    assert read(ada).data is None


@pytest.mark.parametrize("reads_first", [True, False], ids=["also read in the request", "cached"])
def test_no_row_stands_in_that_was_deleted_beside_the_list(ada: User, reads_first: bool) -> None:
    client = ada.request()
    if reads_first:
        Queries.use_get_rows_query(client)
    Mutations.use_archive_mutation(client).mutate(params=RowParams(id="c5"))
    fail(ada)
    assert read(client).data is read(ada).data is None
    assert read(ada, "7").is_placeholder


def test_no_row_stands_in_for_another_user_or_a_token_that_nobody_knows_or_without_a_store(ada: User) -> None:
    ben = ada.signed_in("ben")
    Queries.use_get_rows_query(ben.request(), q="nothing")
    unknown = ada.signed_in()
    fail(ada, also_me=True)
    assert [read(each).is_placeholder for each in (ben, unknown, ada)] == [False, False, True]
    ada.store.down = True
    assert read(ada).data is None


def test_a_list_that_no_group_names_has_no_rows(ada: User) -> None:
    ada.registry = Registry()

    class OwnQueries(QueryGroup, domain="own", registry=ada.registry):
        use_get_row_query = resource(PATH, item=Row, placeholder=True).detail

    fail(ada)
    result = OwnQueries.use_get_row_query(ada.request(), id="c5")
    assert (type(result.error), result.data) == (ApiUnavailableError, None)
    assert check_registry(ada.registry) == []


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
    registry, url = Registry(), OF_A_ROW if params else "/one"

    class OwnQueries(QueryGroup, domain="faulty", registry=registry):
        use_get_one_query = query_endpoint(data=dict, params=params, url=url, placeholder=listed)

    faults = check_registry(registry)
    assert [fault.id for fault in faults] == (["portal.query.E013"] if told else [])
    assert all((told or "") in fault.msg for fault in faults)
    with pytest.raises(UsageError, match="placeholder should be the hook of a list"):
        query_endpoint(data=dict, params=params, url=url, placeholder="stand_ins.get_rows")  # type: ignore[call-overload]  the mistake
