"""Declarations of mutations: an endpoint, and its effects on cached queries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Generic, Literal, Protocol, Self, TypeAlias, TypeVar, get_args, overload

from portal.errors import UsageError
from portal.query.endpoints.declarations import DeclaredList, DeclaredQuery, Endpoint
from portal.query.endpoints.effects import (
    AddToList,
    AnyQueryKey,
    Effect,
    GetParams,
    Invalidation,
    ListHelper,
    Matches,
    MergeIntoList,
    RemoveFromList,
    SetAnswer,
    Variables,
)
from portal.rows import Decoder, copied, decoder_of, to_json

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")
TItem = TypeVar("TItem")
TListParams = TypeVar("TListParams")
TEffect = TypeVar("TEffect", bound=Effect)

Method: TypeAlias = Literal["POST", "PUT", "PATCH", "DELETE"]
#: As `AnyQueryKey`, of a list.
ListQueryKey: TypeAlias = DeclaredList[TItem, TListParams] | str
_SORT: Final = "sort"


class OneShotQuery(Protocol[TData]):
    """The hook of a one-shot query. Its `data` is the same type as that of the write whose response it gets."""

    data: type[TData]


@dataclass(kw_only=True, eq=False)
class DeclaredMutation(Endpoint[TParams], Generic[TData, TBody, TParams]):
    """An endpoint that is written to, with what a write changes in cached queries.

    The types are None for what the endpoint does not have. Each helper below returns a new declaration. A list sees the
    helpers of one write in the order of `LIST_HELPERS`, all of them before `on_success`.

    :param data: type of the response.
    :param body: type of what is sent.
    :raises UsageError: the url is not a path, or the method does not write.
    """

    kind = "mutation"
    declared_with = "mutation_endpoint"
    example = "use_create_client_mutation"

    method: Method
    data: type[TData] | None
    body: type[TBody] | None
    effects: tuple[Effect, ...] = ()
    invalidated_tags: tuple[str, ...] = ()
    is_without_effect: bool = False

    def __post_init__(self) -> None:
        """Check what a type checker may not have seen."""
        super().__post_init__()
        if self.method not in get_args(Method):
            raise UsageError(f"{self.declared_with}: the method should be one of {', '.join(get_args(Method))}")

    def remove_from_paginated_list(
        self, *, list_query_key: ListQueryKey[Any, Any], get_deleted_id: Callable[[Variables], str] | None = None
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

    def set_answer(
        self,
        *,
        query_key: OneShotQuery[TData] | str,
        get_params: Callable[[Variables, TData], Mapping[str, Any]] | None = None,
    ) -> Self:
        """The response becomes that of a one-shot query: its next read shows it without a fetch, in all processes.

        The response must be all that a GET of that query returns. If the write answers with a part of it, mark the
        query as stale with :meth:`invalidates`.

        :param get_params: of what `mutate` was called with, and of the response: the parameters of the query. Without
            it, those of the write; of a write without parameters, `{"id": …}` with the id of the response. If they fit
            no query, or name another id than the response, all queries of that endpoint become stale, with a warning.
        """
        if self.data is None:
            raise UsageError(f"{self.declared_with}: give data=…, the type of the response, to set it as an answer")
        given, own = get_params, decoder_of(self.data) or copied
        of_json = None if given is None else lambda variables, response: given(variables, own(response))
        return self._and(SetAnswer(query=_checked_query(query_key), get_params=of_json))

    @overload
    def invalidates(self, *, query_key: AnyQueryKey, get_params: GetParams | None = None) -> Self: ...
    @overload
    def invalidates(self, *, tag: str) -> Self: ...
    def invalidates(
        self, *, query_key: AnyQueryKey | None = None, get_params: GetParams | None = None, tag: str | None = None
    ) -> Self:
        """Make queries of another endpoint, or of a tag, stale: the next read fetches them again.

        :param get_params: the parameters of the one query, such as :func:`same_params`; without it, all queries of that
            endpoint become stale. The same happens, with a warning, where the parameters are None or fit no query.
        :param tag: all queries of all endpoints that have this among their `tags`, wherever they are declared.
        :raises UsageError: not one of `query_key` and `tag` is given.
        """
        if tag is not None and query_key is None and get_params is None:
            return replace(self, invalidated_tags=(*self.invalidated_tags, tag))
        if tag is not None or query_key is None:
            raise UsageError(f"{self.declared_with}: give query_key=…, or tag=… alone, for what becomes stale")
        return self._and(Invalidation(query=_checked_query(query_key), get_params=get_params))

    def changes_nothing(self) -> Self:
        """Say that the write changes no cached query. `check` asks each write for an effect, or for this."""
        return replace(self, is_without_effect=True)

    @cached_property
    def helpers(self) -> tuple[ListHelper, ...]:
        """The list helpers, each with the qualified key of its list."""
        return self._qualified(ListHelper)

    @cached_property
    def answers(self) -> tuple[SetAnswer, ...]:
        """The one-shot queries that get the response, each with its qualified key."""
        return self._qualified(SetAnswer)

    @cached_property
    def invalidations(self) -> tuple[Invalidation, ...]:
        """The other queries that become stale, each with its qualified key."""
        return self._qualified(Invalidation)

    def _qualified(self, kind: type[TEffect]) -> tuple[TEffect, ...]:
        found = []
        for effect in [effect for effect in self.effects if isinstance(effect, kind)]:
            query = effect.query
            if isinstance(query, str):
                found.append(replace(effect, target=self.qualified(query)))
            # A query of this mutation's own resource that no group names does not exist.
            elif not (self.resource and query.group is None and query.resource == self.resource):
                found.append(replace(effect, target=query.key))
        return tuple(found)

    def _with(
        self,
        helper: type[ListHelper],
        query: ListQueryKey[Any, Any],
        select: Callable[[Any], object] | None,
        matches: Matches[Any, Any] | None = None,
        newest_first_by: str | None = None,
    ) -> Self:
        if newest_first_by is not None and matches is not None:
            raise UsageError(f"{self.declared_with}: give matches or newest_first_by, not both: each says it all")
        fits = _of_rows(matches, query)
        if newest_first_by is not None:
            fits = _by_creation(newest_first_by, keeps_place=helper.keeps_place)
        if helper.puts_row and self.data is None:
            raise UsageError(
                f"{self.declared_with}: give data=…, the type of the response, to put a row of it in a list"
            )
        if helper.puts_row and select is not None:
            select = _of_response(select, decoder_of(self.data))
        return self._and(helper(query=_checked_query(query), select=select, matches=fits))

    def _and(self, effect: Effect) -> Self:
        return replace(self, effects=(*self.effects, effect))


def _checked_query(query: object) -> AnyQueryKey:
    """The query as it was given; its key is asked for when the mutation is used.

    :raises UsageError: it is neither a hook nor a key.
    """
    if not isinstance(query, str | DeclaredQuery):
        raise UsageError(
            "a query key should be a hook such as ClientQueries.use_get_clients_query, or its key 'get_clients'"
        )
    return query


def _of_response(select: Callable[[Any], object], decode: Decoder | None) -> Callable[[Any], object]:
    """The team's function, which takes the response and may return a record, as one from JSON to JSON.

    It gets a response of its own: what it changes there must not be shown.
    """
    if decode is None:
        return lambda response: select(copied(response))
    return lambda response: to_json(select(decode(response)))


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
