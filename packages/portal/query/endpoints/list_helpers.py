"""What a write changes in cached queries: the list helpers, and what a mutation declares with them.

A new list helper is a class here with its place in `LIST_HELPERS`, and a method of :class:`DeclaredMutation`. How it
changes cached rows is in :mod:`portal.query.cache.patches`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeAlias, TypeVar, get_args

from portal.config.wire_names import ID_FIELD
from portal.errors import UsageError
from portal.query.endpoints.declarations import DeclaredList, DeclaredQuery, Endpoint

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")
TItem = TypeVar("TItem")
TListParams = TypeVar("TListParams")

Method: TypeAlias = Literal["POST", "PUT", "PATCH", "DELETE"]
#: A query hook, or its key: `get_clients` within the domain, `energy.get_clients` from anywhere.
ListQueryKey: TypeAlias = DeclaredList[TItem, TListParams] | str
AnyQueryKey: TypeAlias = DeclaredQuery[Any] | str
#: Of a variant's parameters and a row: True where the row belongs at the start, or stays in its place; False where it
#: does not belong; None where only the server knows.
Matches: TypeAlias = Callable[[TListParams, TItem], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables(Generic[TBody, TParams]):
    """What `mutate` was called with; None for a part that the endpoint does not declare."""

    body: TBody
    params: TParams


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a write changes in the cached queries of one endpoint.

    :param target: the endpoint's key.
    """

    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHelper(Effect):
    """One change of a list, as a mutation declares it.

    :cvar kind: its name in the write log.
    :cvar effect: its name on the reference page: "adds to `energy.get_clients`".
    :cvar option: the name of the function that a team gives it.
    :cvar returns: what that function should return, for warnings.
    :cvar puts_row: whether it puts a whole row into the list. A mutation may have one such helper of a kind for a list.
    :param select: the team's function.
    :param matches: without it, the list without parameters takes every row; for all others only the server knows.
    """

    kind: ClassVar[str]
    effect: ClassVar[str]
    option: ClassVar[str] = "select_list_item"
    returns: ClassVar[str] = "the full object with its id"
    puts_row: ClassVar[bool] = True

    select: Callable[[Any], object]
    matches: Matches[Any, Any] | None = None

    def row(self, variables: Variables[Any, Any], data: Any) -> object:
        """The row that the write is about, as the team's function returns it."""
        del variables
        return self.select(data)


class RemoveFromList(ListHelper):
    """Delete: removes the row with that id."""

    kind = "remove"
    effect = "removes from"
    option = "get_deleted_id"
    returns = "the id of the deleted row"
    puts_row = False

    def row(self, variables: Variables[Any, Any], data: Any) -> object:
        """A row of which only the id is known."""
        del data
        return {ID_FIELD: self.select(variables)}


class AddToList(ListHelper):
    """Create: puts the row at the start."""

    kind = "add"
    effect = "adds to"


class MergeIntoList(ListHelper):
    """Update: replaces the row with the same id, whole, where it stands."""

    kind = "merge"
    effect = "merges in"


TEffect = TypeVar("TEffect", bound=Effect)

#: In the order in which a list sees the helpers of one write.
LIST_HELPERS: Final[tuple[type[ListHelper], ...]] = (RemoveFromList, AddToList, MergeIntoList)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidation(Effect):
    """Queries that a write makes stale.

    :param get_params: of the variables: the parameters of the one query; None for all queries of that endpoint.
    """

    get_params: Callable[[Variables[Any, Any]], Mapping[str, Any]] | None = None


@dataclass(kw_only=True, eq=False)
class DeclaredMutation(Endpoint[TParams], Generic[TData, TBody, TParams]):
    """An endpoint that is written to, with what a write changes in cached queries.

    The types are None for what the endpoint does not have. Each helper below returns a new declaration. A list sees the
    helpers of one write in the order of `LIST_HELPERS`, all of them before `on_success`.

    :param data: type of the response.
    :param body: TypedDict of what is sent.
    :raises UsageError: the url is not a path, or the method does not write.
    """

    kind = "mutation"
    declared_with = "mutation_endpoint"
    example = "use_create_client_mutation"

    method: Method
    data: type[TData] | None
    body: type[TBody] | None
    effects: tuple[Effect, ...] = ()

    def __post_init__(self) -> None:
        """Check what a type checker may not have seen."""
        super().__post_init__()
        if self.method not in get_args(Method):
            raise UsageError(f"{self.declared_with}: the method should be one of {', '.join(get_args(Method))}")

    def remove_from_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[Any, Any],
        get_deleted_id: Callable[[Variables[TBody, TParams]], str],
    ) -> Self:
        """Delete: removes the row with that id from every cached variant of the list.

        :param get_deleted_id: of what `mutate` was called with.
        """
        return self._with(RemoveFromList, list_query_key, get_deleted_id)

    def add_created_to_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem],
        matches: Matches[TListParams, TItem] | None = None,
    ) -> Self:
        """Create: puts the selected row at the start of the list.

        :param select_list_item: of the response; must return a full object with an id.
        :param matches: of a cached variant's parameters and the row: True where the row belongs at the start, False
            where it does not belong, None where only the server knows: that variant is fetched again. Without
            `matches`: True for the list without parameters, None for all others.
        """
        return self._with(AddToList, list_query_key, select_list_item, matches)

    def merge_updated_in_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem],
        matches: Matches[TListParams, TItem] | None = None,
    ) -> Self:
        """Update: replaces the row with the same id, whole, where it stands.

        :param select_list_item: of the response; must return a full object with an id.
        :param matches: as for additions. False takes the row out of that variant. True for a row that a filtered
            variant does not show has that variant fetched again: the row may match the filter only now.
        """
        return self._with(MergeIntoList, list_query_key, select_list_item, matches)

    def invalidates(
        self,
        *,
        query_key: AnyQueryKey,
        get_params: Callable[[Variables[TBody, TParams]], Mapping[str, Any]] | None = None,
    ) -> Self:
        """Make queries of another endpoint stale: the next read fetches them again.

        :param get_params: the parameters of the one query; without it, all queries of that endpoint become stale. The
            same happens, with a warning, where the parameters are None or fit no query.
        """
        if get_params is not None:
            self._check_function("get_params", get_params)
        return replace(self, effects=(*self.effects, Invalidation(target=_key_of(query_key), get_params=get_params)))

    @cached_property
    def helpers(self) -> tuple[ListHelper, ...]:
        """The list helpers, each with the qualified key of its list."""
        return self._qualified(ListHelper)

    @cached_property
    def invalidations(self) -> tuple[Invalidation, ...]:
        """The other queries that become stale, each with its qualified key."""
        return self._qualified(Invalidation)

    def _qualified(self, kind: type[TEffect]) -> tuple[TEffect, ...]:
        found = [effect for effect in self.effects if isinstance(effect, kind)]
        return tuple(replace(effect, target=self.qualified(effect.target)) for effect in found)

    def _with(
        self,
        helper: type[ListHelper],
        query: ListQueryKey[Any, Any],
        select: Callable[[Any], object],
        matches: Matches[Any, Any] | None = None,
    ) -> Self:
        target = _key_of(query)
        self._check_function(helper.option, select)
        if matches is not None:
            self._check_function("matches", matches)
        if helper.puts_row and self.data is None:
            raise UsageError(
                f"{self.declared_with}: give data=…, the type of the response, to put a row of it in {target}"
            )
        return replace(self, effects=(*self.effects, helper(target=target, select=select, matches=matches)))

    def _check_function(self, name: str, function: object) -> None:
        if not callable(function):
            raise UsageError(f"{self.declared_with}: {name} should be a function, not {function!r}")


def _key_of(query: AnyQueryKey) -> str:
    if isinstance(query, str):
        return query
    if not isinstance(query, DeclaredQuery):
        raise UsageError(
            "a query key should be a hook such as ClientQueries.use_get_clients_query, or its key 'get_clients'"
        )
    return query.key
