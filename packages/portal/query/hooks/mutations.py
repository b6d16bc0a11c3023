"""Writes: `mutationEndpoint` and its list cache helpers (requirements, "List cache helpers")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeAlias, TypeVar, cast, is_typeddict, overload

from portal.errors import UsageError
from portal.query.client import client_of
from portal.query.endpoints.params import checked_params
from portal.query.endpoints.requests import (
    ListHelper,
    Method,
    Outdate,
    PutInList,
    RemoveFromList,
    Variables,
    WriteRequest,
)
from portal.query.endpoints.urls import Url, shape
from portal.query.idempotency import derived_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from portal.errors import ApiError
    from portal.query.client import QueryClient
    from portal.query.hooks.lists import PaginatedQueryHook
    from portal.query.hooks.queries import QueryHook
    from portal.query.results import MutationResult

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")
TItem = TypeVar("TItem")
TListParams = TypeVar("TListParams")

#: A query hook, or its key: `get_clients` within the domain, `energy.get_clients` from anywhere.
ListQueryKey: TypeAlias = "PaginatedQueryHook[TItem, TListParams] | str"
AnyQueryKey: TypeAlias = "PaginatedQueryHook[Any, Any] | QueryHook[Any, Any] | str"


@dataclass(frozen=True, kw_only=True)
class MutationEndpoint(Generic[TData, TBody, TParams]):
    """The declaration of a write. Made by :func:`~portal.query.hooks.mutation_endpoint`, inside a `MutationGroup`.

    The generics are None for what the endpoint does not have. The helpers below give a new declaration each;
    whatever their order, a list sees removals first, then additions, then updates, all before `on_success`.
    """

    data: type[TData] | None
    body: type[TBody] | None
    params: type[TParams] | None
    url: Url[Any]
    method: Method
    helpers: tuple[ListHelper, ...] = ()
    invalidates: tuple[Outdate, ...] = ()

    def __get__(self, instance: object, owner: type[object]) -> MutationHook[TData, TBody, TParams]:
        """For type checkers: in a group, the attribute is the hook."""
        raise UsageError(f"{owner.__qualname__} should derive from MutationGroup for its endpoints to become hooks")

    def remove_from_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[Any, Any],
        get_deleted_id: Callable[[Variables[TBody, TParams]], str],
    ) -> MutationEndpoint[TData, TBody, TParams]:
        """Delete: removes the row with that id from every cached variant of the list.

        :param get_deleted_id: of what `mutate` was called with.
        """
        target = _target(list_query_key)
        _check_functions(get_deleted_id=get_deleted_id)
        return replace(self, helpers=(*self.helpers, RemoveFromList(target=target, get_deleted_id=get_deleted_id)))

    def add_created_to_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem],
        matches: Callable[[TListParams, TItem], bool | None] | None = None,
    ) -> MutationEndpoint[TData, TBody, TParams]:
        """Create: puts the selected row at the start of the list.

        :param select_list_item: of the answer; must give a full object with an id.
        :param matches: of a cached variant's parameters and the row: True where it belongs at the start, False
            where it does not belong, None where only the server can say: that variant is fetched anew. Without
            it: True for the list without parameters, None for all others.
        """
        return self._put("add", list_query_key, select_list_item, matches)

    def merge_updated_in_paginated_list(
        self,
        *,
        list_query_key: ListQueryKey[TItem, TListParams],
        select_list_item: Callable[[TData], TItem],
        matches: Callable[[TListParams, TItem], bool | None] | None = None,
    ) -> MutationEndpoint[TData, TBody, TParams]:
        """Update: replaces the row with the same id, whole, where it stands.

        :param select_list_item: of the answer; must give a full object with an id.
        :param matches: as for additions; False takes the row out of that variant, and True for a row that a
            filtered variant does not show has that one fetched anew: it may have come to meet the filter.
        """
        return self._put("merge", list_query_key, select_list_item, matches)

    def outdate(
        self,
        *,
        query_key: AnyQueryKey,
        get_params: Callable[[Variables[TBody, TParams]], Mapping[str, Any]] | None = None,
    ) -> MutationEndpoint[TData, TBody, TParams]:
        """Mark queries of another endpoint as stale: the next read fetches them anew.

        :param get_params: the parameters that name the query; without it, all of that endpoint. So too, with a
            warning, where they are None or fit no query of it.
        """
        _check_functions(**({} if get_params is None else {"get_params": get_params}))
        outdated = Outdate(target=_target(query_key), get_params=get_params)
        return replace(self, invalidates=(*self.invalidates, outdated))

    def hook(self, *, key: str, hook_name: str, qualify: Callable[[str], str]) -> MutationHook[TData, TBody, TParams]:
        """The hook under a qualified key.

        :param qualify: makes a qualified key of one that may lack its domain.
        """
        return MutationHook(
            key=key,
            hook_name=hook_name,
            data=self.data,
            body=self.body,
            params=self.params,
            url=self.url,
            method=self.method,
            helpers=tuple(replace(helper, target=qualify(helper.target)) for helper in self.helpers),
            invalidates=tuple(replace(outdated, target=qualify(outdated.target)) for outdated in self.invalidates),
        )

    def _put(
        self,
        kind: Literal["add", "merge"],
        list_query_key: ListQueryKey[Any, Any],
        select_list_item: Callable[[Any], object],
        matches: Callable[[Any, Any], bool | None] | None,
    ) -> MutationEndpoint[TData, TBody, TParams]:
        target = _target(list_query_key)
        _check_functions(select_list_item=select_list_item, **({} if matches is None else {"matches": matches}))
        if self.data is None:
            raise UsageError(f"mutation_endpoint: give data=…, the type of the answer, to put a row of it in {target}")
        helper = PutInList(kind=kind, target=target, select_list_item=select_list_item, matches=matches)
        return replace(self, helpers=(*self.helpers, helper))


@dataclass(frozen=True, kw_only=True)
class MutationHook(Generic[TData, TBody, TParams]):
    """`use_<name>_mutation`: gives a mutation that is then run with `.mutate(...)`.

    :param key: qualified endpoint key, such as `energy.create_client`.
    :param hook_name: dotted name under which it is imported.
    """

    key: str
    hook_name: str
    data: type[TData] | None
    body: type[TBody] | None
    params: type[TParams] | None
    url: Url[Any]
    method: Method
    helpers: tuple[ListHelper, ...]
    invalidates: tuple[Outdate, ...]

    @property
    def path_shape(self) -> str:
        """Address with the parameters' names in braces."""
        return shape(self.url)

    @property
    def declared_types(self) -> dict[str, object]:
        """Role to declared type."""
        return {"data": self.data, "body": self.body, "params": self.params}

    @property
    def call_shape(self) -> str:
        """How `mutate` is called."""
        parts = [name for name in ("body", "params") if self.declared_types[name] is not None]
        return f"mutate({', '.join(f'{name}=…' for name in parts)})"

    def __call__(
        self,
        request: HttpRequest | QueryClient,
        *misplaced: Never,
        on_success: Callable[[TData], object] | None = None,
        on_error: Callable[[ApiError], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Mutation[TData, TBody, TParams]:
        """Prepare the write.

        :param request: whose write: the request, or a command's `QueryClient`.
        :param on_success: called once with the answer, after the cached lists show the write.
        :param on_error: called once when all tries failed.
        :param idempotency_key: for a write that may come again in another request, such as a form whose answer was
            lost: under the same key, the same body is sent under the same `Idempotency-Key`, and another body under
            another one. Without it, each run has a key of its own.
        """
        if misplaced:
            raise UsageError(
                f"{self.key}: give on_success=… and the other options by name, and the rest to {self.call_shape}"
            )
        return Mutation(
            hook=self,
            client=client_of(request),
            on_success=on_success,
            on_error=on_error,
            idempotency_key=idempotency_key,
        )


@dataclass(frozen=True, kw_only=True)
class Mutation(Generic[TData, TBody, TParams]):
    """A write that is ready to run, as often as wanted."""

    hook: MutationHook[TData, TBody, TParams]
    client: QueryClient
    on_success: Callable[[TData], object] | None
    on_error: Callable[[ApiError], object] | None
    idempotency_key: str | None = None

    @overload
    def mutate(self: Mutation[TData, None, None]) -> MutationResult[TData]: ...
    @overload
    def mutate(self: Mutation[TData, TBody, None], *, body: TBody) -> MutationResult[TData]: ...
    @overload
    def mutate(self: Mutation[TData, None, TParams], *, params: TParams) -> MutationResult[TData]: ...
    @overload
    def mutate(self, *, body: TBody, params: TParams) -> MutationResult[TData]: ...
    def mutate(self, *misplaced: object, body: Any = None, params: Any = None) -> MutationResult[TData]:
        """Run it, with one further try where that can help.

        :returns: data or error, as a value.
        :raises UsageError: the call does not have the shape that the endpoint declares.
        :raises SignInEndedError: the sign-in is over.
        """
        if misplaced:
            raise UsageError(f"{self.hook.key}: call {self.hook.call_shape}, with its parts by name")
        result = self.client.mutate(
            self._write(body=body, params=params), on_success=self.on_success, on_error=self.on_error
        )
        return cast("MutationResult[TData]", result)

    def _write(self, *, body: object, params: object) -> WriteRequest:
        hook = self.hook
        if (body is None) != (hook.body is None) or (params is None) != (hook.params is None):
            raise UsageError(f"{hook.key}: call {hook.call_shape}, as its endpoint declares")
        if is_typeddict(hook.body) and not isinstance(body, Mapping):
            raise UsageError(f"{hook.key}: the body should be a mapping, not {type(body).__name__}")
        checked = checked_params(given=params, declared=hook.params, endpoint=hook.key)
        given = self.idempotency_key
        return WriteRequest(
            endpoint=hook.key,
            method=hook.method,
            url=hook.url,
            variables=Variables(body=body, params=params),
            has_body=hook.body is not None,
            helpers=hook.helpers,
            invalidates=hook.invalidates,
            params=checked,
            idempotency_key=given and derived_key(given, endpoint=hook.key, params=checked, body=body),
        )


def _check_functions(**given: object) -> None:
    for name, function in given.items():
        if not callable(function):
            raise UsageError(f"mutation_endpoint: {name} should be a function, not {function!r}")


def _target(query: PaginatedQueryHook[Any, Any] | QueryHook[Any, Any] | str) -> str:
    if isinstance(query, str):
        return query
    key = getattr(query, "key", None)
    if not isinstance(key, str):
        raise UsageError(
            "a query key should be a hook such as ClientQueries.use_get_clients_query, or its key 'get_clients'"
        )
    return key
