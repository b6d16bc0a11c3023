"""The clients' list as these tests read and change it, and code that runs inside the backend's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from portal.query import QueryClient


def listed(client: QueryClient, **options: Any) -> list[str]:
    """The ids of the list as a read shows it; options `params`, `pages` and `cursor`."""
    result = ClientQueries.use_get_clients_query(client, options.pop("params", None), **options)
    assert result.error is None
    return [row["id"] for row in result.data.items]


def names(client: QueryClient, **options: Any) -> dict[str, str]:
    result = ClientQueries.use_get_clients_query(client, **options)
    return {row["id"]: row["name"] for row in result.data.items}


def create(client: QueryClient, name: str = "new") -> str:
    body = {"name": name, "email": "new@example.com"}
    return ClientMutations.use_create_client_mutation(client).mutate(body=body).unwrap()["id"]


def delete(client: QueryClient, row_id: str) -> None:
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": row_id}).unwrap()


def rename(client: QueryClient, row_id: str, name: str) -> None:
    mutation = ClientMutations.use_update_client_mutation(client)
    mutation.mutate(body={"name": name}, params={"id": row_id}).unwrap()


def once(
    run: Callable[[], object], *, method: str = "GET", path: str = "/energy/clients"
) -> Callable[[str, str], None]:
    """Runs something within the next such request only."""
    pending = [run]

    def inside(called: str, where: str) -> None:
        if pending and called == method and where == path:
            pending.pop()()

    return inside
