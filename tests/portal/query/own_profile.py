"""A profile with a name that its user can change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from portal.query import MutationGroup, mutation_endpoint
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend

if TYPE_CHECKING:
    from portal.query import QueryClient


class NameReq(TypedDict):
    name: str


class OwnProfileMutations(MutationGroup, domain="tests_profile"):
    use_rename_mutation = mutation_endpoint(
        data=dict[str, Any], body=NameReq, url="/me/name", method="PUT"
    ).invalidates(query_key="user.get_me")


@dataclass
class NamedBackend(FakeBackend):
    """Its profiles have names, and its users may change them.

    :ivar names: user to name.
    """

    names: dict[str, str] = field(default_factory=dict)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/me/name":
            self.names[self.users[token or ""]] = body["name"]
            return {}
        answer = super()._do(token, method, path, params, body)
        return {**answer, "name": self.names.get(answer["id"], "")} if path == "/me" else answer


def rename_oneself(client: QueryClient, name: str) -> None:
    OwnProfileMutations.use_rename_mutation(client).mutate(body={"name": name}).unwrap()


def own_name(client: QueryClient) -> str:
    name: Any = UserQueries.use_get_me_query(client).unwrap().get("name")
    return str(name)
