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
from portal.query.rows import Decoder, decoder_of, to_json

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")
TItem = TypeVar("TItem")
TListParams = TypeVar("TListParams")

Method: TypeAlias = Literal["POST", "PUT", "PATCH", "DELETE"]
#: A query hook, or its key: `get_clients` within the domain, `energy.get_clients` from anywhere.
ListQueryKey: TypeAlias = DeclaredList[TItem, TListParams] | str
AnyQueryKey: TypeAlias = DeclaredQuery[Any] | str
_SORT: Final = "sort"
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
        return {ID_FIELD: variables.params["id"] if self.select is None else self.select(variables)}


class AddToList(ListHelper):
    """Create: puts the row at the start."""

    kind = "add"
    effect = "adds to"


class MergeIntoList(ListHelper):
    """Update: replaces the row with the same id, whole, where it stands."""

    kind = "merge"
    effect = "merges in"
    keeps_place = True


TEffect = TypeVar("TEffect", bound=Effect)

#: In the order in which a list sees the helpers of one write.
LIST_HELPERS: Final[tuple[type[ListHelper], ...]] = (RemoveFromList, AddToList, MergeIntoList)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidation(Effect):
    """Queries that a write makes stale.

    :param get_params: of the variables: the parameters of the one query; None for all queries of that endpoint.
    """

    get_params: Callable[[Variables], Mapping[str, Any]] | None = None


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
        get_deleted_id: Callable[[Variables], str] | None = None,
    ) -> Self:
        """Delete: removes the row with that id from every cached variant of the list.

        :param get_deleted_id: of what `mutate` was called with; without it, the parameter `id`.
        """
        return self._with(RemoveFromList, list_query_key, get_deleted_id)

    def add_created_to_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem] | None = None,
        matches: Matches[TListParams, TItem] | None = None,
        newest_first_by: str | None = None,
    ) -> Self:
        """Create: puts the selected row at the start of the list.

        :param select_list_item: of the response; must return a full object with an id. Without it, the response itself.
        :param matches: of a cached variant's parameters and the row: True where the row belongs at the start, False
            where it does not belong, None where only the server knows: that variant is fetched again. Without
            `matches`: True for the list without parameters, None for all others.
        :param newest_first_by: in place of `matches`: the field, such as `createdAt`, that no write changes, and by
            which the list without parameters is newest first. The new row comes first there and in the same list with
            `sort="-createdAt"`; all other variants are fetched again.
        :raises UsageError: both `matches` and `newest_first_by` are given.
        """
        return self._with(AddToList, list_query_key, select_list_item, matches, newest_first_by)

    def merge_updated_in_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem] | None = None,
        matches: Matches[TListParams, TItem] | None = None,
        newest_first_by: str | None = None,
    ) -> Self:
        """Update: replaces the row with the same id, whole, where it stands.

        :param select_list_item: of the response; must return a full object with an id. Without it, the response itself.
        :param matches: as for additions. False takes the row out of that variant. True for a row that a filtered
            variant does not show has that variant fetched again: the row may match the filter only now.
        :param newest_first_by: as for additions. The row stays in its place there, and in the same list with
            `sort="createdAt"`.
        :raises UsageError: both `matches` and `newest_first_by` are given.
        """
        return self._with(MergeIntoList, list_query_key, select_list_item, matches, newest_first_by)

    def invalidates(
        self,
        *,
        query_key: AnyQueryKey,
        get_params: Callable[[Variables], Mapping[str, Any]] | None = None,
    ) -> Self:
        """Make queries of another endpoint stale: the next read fetches them again.

        :param get_params: the parameters of the one query, such as :func:`same_params`; without it, all queries of that
            endpoint become stale. The same happens, with a warning, where the parameters are None or fit no query.
        """
        self._check_function("get_params", get_params)
        return self._and(Invalidation(query=_checked_query(query_key), get_params=get_params))

    @cached_property
    def helpers(self) -> tuple[ListHelper, ...]:
        """The list helpers, each with the qualified key of its list."""
        return self._qualified(ListHelper)

    @cached_property
    def invalidations(self) -> tuple[Invalidation, ...]:
        """The other queries that become stale, each with its qualified key."""
        return self._qualified(Invalidation)

    def _qualified(self, kind: type[TEffect]) -> tuple[TEffect, ...]:
        found = [effect for effect in self.effects if isinstance(effect, kind) and not self._is_left_out(effect.query)]
        return tuple(replace(effect, target=self._key_of(effect.query)) for effect in found)

    def _is_left_out(self, query: AnyQueryKey) -> bool:
        """Whether it is a query of this mutation's own resource that no group names, so it does not exist."""
        return (
            bool(self.resource)
            and not isinstance(query, str)
            and query.group is None
            and query.resource == self.resource
        )

    def _key_of(self, query: AnyQueryKey) -> str:
        """The qualified key of a query, which its group may have named after this mutation was declared."""
        return self.qualified(query) if isinstance(query, str) else query.key

    def _with(
        self,
        helper: type[ListHelper],
        query: ListQueryKey[Any, Any],
        select: Callable[[Any], object] | None,
        matches: Matches[Any, Any] | None = None,
        newest_first_by: str | None = None,
    ) -> Self:
        self._check_function(helper.option, select)
        self._check_function("matches", matches)
        if newest_first_by is not None:
            if matches is not None:
                raise UsageError(f"{self.declared_with}: give matches or newest_first_by, not both: each says it all")
            matches = _by_creation(newest_first_by, keeps_place=helper.keeps_place)
        else:
            matches = _of_rows(matches, query)
        if helper.puts_row and self.data is None:
            raise UsageError(
                f"{self.declared_with}: give data=…, the type of the response, to put a row of it in a list"
            )
        if helper.puts_row and select is not None:
            select = _of_response(select, decoder_of(self.data))
        return self._and(helper(query=_checked_query(query), select=select, matches=matches))

    def _and(self, effect: Effect) -> Self:
        return replace(self, effects=(*self.effects, effect))

    def _check_function(self, name: str, function: object) -> None:
        if function is not None and not callable(function):
            raise UsageError(f"{self.declared_with}: {name} should be a function, not {function!r}")


def _checked_query(query: AnyQueryKey) -> AnyQueryKey:
    """The query as it was given; its key is asked for when the mutation is used.

    :raises UsageError: it is neither a hook nor a key.
    """
    if not isinstance(query, str | DeclaredQuery):
        raise UsageError(
            "a query key should be a hook such as ClientQueries.use_get_clients_query, or its key 'get_clients'"
        )
    return query


def _of_response(select: Callable[[Any], object], decode: Decoder | None) -> Callable[[Any], object]:
    """The team's function, which takes the decoded response and may return a record, as one from JSON to JSON."""
    return select if decode is None else lambda response: to_json(select(decode(response)))


def _of_rows(matches: Matches[Any, Any] | None, query: ListQueryKey[Any, Any]) -> Matches[Any, Any] | None:
    """The team's function, which takes a decoded row, as one of a row's JSON."""
    decode = decoder_of(query.item) if isinstance(query, DeclaredList) else None
    if matches is None or decode is None:
        return matches
    given = matches
    return lambda params, row: given(params, decode(row))


def _by_creation(field: str, *, keeps_place: bool) -> Matches[Any, Any]:
    """The `matches` for a list that is newest first by a field that no write changes."""
    known = {None, f"-{field}", *([field] if keeps_place else [])}

    def matches(params: Mapping[str, Any], _row: object) -> bool | None:
        filters = any(value is not None for name, value in params.items() if name != _SORT)
        return True if params.get(_SORT) in known and not filters else None

    return matches
