"""Effects of a write on cached queries, as data: the list helpers, set answers, invalidations.

A new list helper is a class here with its place in `LIST_HELPERS`, and a method of
:class:`~portal.query.endpoints.mutations.DeclaredMutation`. How it changes cached rows is in
:mod:`portal.query.cache.patches`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

from portal.config.contract_names import ID_FIELD
from portal.query.endpoints.declarations import DeclaredQuery

TItem = TypeVar("TItem")
TListParams = TypeVar("TListParams")

#: A query hook, or its key: `get_clients` within the domain, `energy.get_clients` from anywhere.
AnyQueryKey: TypeAlias = DeclaredQuery[Any] | str
#: The parameter that names one row, as in the path `/energy/clients/{id}`.
ID_PARAM: Final = "id"
#: Of a variant's parameters and a row: True where the row belongs at the start, or stays in its place; False where it
#: does not belong; None where only the server knows.
Matches: TypeAlias = Callable[[TListParams, TItem], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """What `mutate` was called with, as JSON by the names on the wire.

    :param body: None where the endpoint declares none.
    :param params: empty where the endpoint declares none.
    """

    body: Any
    params: Mapping[str, Any]


def same_params(variables: Variables) -> Any:
    """For `get_params`: the query has the parameters that `mutate` was called with."""
    return variables.params


#: Gives the parameters of a query for what `mutate` was called with.
GetParams: TypeAlias = Callable[[Variables], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a write changes in the cached queries of one endpoint.

    :param query: the endpoint's hook, which may get its name from its group later, or its key.
    :param target: its qualified key; empty until the mutation is used (:attr:`DeclaredMutation.helpers`).
    """

    query: AnyQueryKey
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHelper(Effect):
    """One change of a list, as a mutation declares it.

    :cvar kind: its name in the write log.
    :cvar effect: its name on the reference page: "adds to `energy.get_clients`".
    :cvar option: the name of the function that a team gives it.
    :cvar returns: what that function should return, for warnings.
    :cvar puts_row: whether it puts a whole row into the list. A mutation may have one such helper of a kind for a list.
    :cvar keeps_place: whether the row stays where it is in its list, in either order of creation.
    :param select: the team's function; None for the usual one.
    :param matches: without it, the list without parameters takes every row; for all others only the server knows.
    """

    kind: ClassVar[str]
    effect: ClassVar[str]
    option: ClassVar[str] = "select_list_item"
    returns: ClassVar[str] = "the full object with its id"
    puts_row: ClassVar[bool] = True
    keeps_place: ClassVar[bool] = False

    select: Callable[[Any], object] | None = None
    matches: Matches[Any, Any] | None = None

    def row(self, variables: Variables, data: Any) -> object:
        """The row that the write is about: the response, or what the team's function takes from it."""
        del variables
        return data if self.select is None else self.select(data)


class RemoveFromList(ListHelper):
    """Delete: removes the row with that id."""

    kind = "remove"
    effect = "removes from"
    option = "get_deleted_id"
    returns = "the id of the deleted row"
    puts_row = False

    def row(self, variables: Variables, data: Any) -> object:
        """A row of which only the id is known: the parameter `id`, or what the team's function gives."""
        del data
        return {ID_FIELD: variables.params[ID_PARAM] if self.select is None else self.select(variables)}


class AddToList(ListHelper):
    """Create: puts the row at the start."""

    kind = "add"
    effect = "adds to"


class MergeIntoList(ListHelper):
    """Update: replaces the row with the same id, whole, where it stands."""

    kind = "merge"
    effect = "merges in"
    keeps_place = True


#: In the order in which a list sees the helpers of one write.
LIST_HELPERS: Final[tuple[type[ListHelper], ...]] = (RemoveFromList, AddToList, MergeIntoList)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidation(Effect):
    """Queries that a write makes stale.

    :param get_params: of the variables: the parameters of the one query; None for all queries of that endpoint.
    """

    get_params: GetParams | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAnswer(Effect):
    """The response of a write, as the newest response of a one-shot query.

    :param get_params: of the variables and the response: the parameters of the query; None for the usual ones.
    """

    get_params: Callable[[Variables, Any], Mapping[str, Any]] | None = None

    def params(self, variables: Variables, data: Any) -> object:
        """The parameters of the query: those of the write, or the id of the response where the write has none."""
        if self.get_params is not None:
            return self.get_params(variables, data)
        return variables.params or {ID_PARAM: str(data[ID_FIELD])}
