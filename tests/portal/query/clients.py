"""The clients' list as these tests read and change it, and code that runs inside the backend's answer.

Who reads or writes is a client, or a user with a new request.
"""

from collections.abc import Callable
from typing import Any

from portal.query import QueryClient, QueryGroup, paginated_query_endpoint, query_endpoint
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.world import User, World
from tests.support.client_endpoints import PATH, ClientMutations, ClientQueries


class Decisive(QueryGroup, domain="decisive", registry=Registry()):
    """Queries that are not shown past their stale time before the backend was asked."""

    use_get_clients_query = paginated_query_endpoint(item=dict, url=PATH, stale_while_revalidate=False)
    use_get_summary_query = query_endpoint(data=dict, url="/energy/summary", stale_while_revalidate=False)


BODY = {"name": "new", "email": "new@example.com"}


def client_of(who: User | QueryClient) -> QueryClient:
    return who.request() if isinstance(who, User) else who


def clients(who: User | QueryClient, params: Any = None, **options: Any) -> Any:
    return ClientQueries.use_get_clients_query(client_of(who), params, **options)


def listed(who: User | QueryClient, params: Any = None, **options: Any) -> list[str]:
    """The ids of the list; there is no error."""
    result = clients(who, params, **options)
    assert result.error is None
    return [row["id"] for row in result.data.items]


def names(who: User | QueryClient, params: Any = None, **options: Any) -> dict[str, str]:
    return {row["id"]: row["name"] for row in clients(who, params, **options).data.items}


def one(who: User | QueryClient, row_id: str = "c5") -> Any:
    return ClientQueries.use_get_client_query(client_of(who), {"id": row_id})


def me(who: User | QueryClient) -> Any:
    return UserQueries.use_get_me_query(client_of(who))


def invalidate(who: User | QueryClient, **which: Any) -> None:
    ClientQueries.use_get_clients_query.invalidate(client_of(who), **which)


def create(who: User | QueryClient, name: str = "new") -> str:
    mutation = ClientMutations.use_create_client_mutation(client_of(who))
    return mutation.mutate(body={**BODY, "name": name}).unwrap()["id"]


def delete(who: User | QueryClient, row_id: str = "c5") -> None:
    ClientMutations.use_delete_client_mutation(client_of(who)).mutate(params={"id": row_id}).unwrap()


def rename(who: User | QueryClient, row_id: str, name: str, **options: Any) -> Any:
    mutation = ClientMutations.use_update_client_mutation(client_of(who))
    return mutation.mutate(body={"name": name}, params={"id": row_id}, **options)


def touch(who: User | QueryClient, row_id: str, name: str) -> Any:
    """A change that only makes stale what it concerns."""
    return ClientMutations.use_touch_client_mutation(client_of(who)).mutate(body={"name": name}, params={"id": row_id})


def once(
    run: Callable[[], object], *, method: str = "GET", path: str = "/energy/clients"
) -> Callable[[str, str], None]:
    """Runs something within the next such request only."""
    pending = [run]

    def inside(called: str, where: str) -> None:
        if pending and called == method and where == path:
            pending.pop()()

    return inside


def before_next(user: User, operation: str, run: Callable[[], object]) -> None:
    """Run something before the next such operation of the store only."""

    def before(called: str) -> None:
        if called == operation:
            user.store.before_each = None
            run()

    user.store.before_each = before


def before_operation(where: User | World, number: int, run: Callable[[], object]) -> None:
    """Run something before the operation of this number of the store only, counted from 0."""
    left = iter(range(number))

    def before(_called: str) -> None:
        if next(left, None) is None:
            where.store.before_each = None
            run()

    where.store.before_each = before


def failing(error: Exception) -> Callable[[str, str], None]:
    """Raises the error in place of an answer of the backend."""

    def fail(_method: str, _path: str) -> None:
        raise error

    return fail
