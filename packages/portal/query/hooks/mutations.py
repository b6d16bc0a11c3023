"""Writes: `mutationEndpoint` (requirements, "List cache helpers")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args, get_origin, is_typeddict, overload

from portal.errors import ApiError, UsageError
from portal.query.calls import derived_key
from portal.query.client import QueryClient, client_of
from portal.query.endpoints import DeclaredMutation, Method, Url, Variables, WriteRequest, checked_params
from portal.query.hooks.queries import Requester
from portal.query.results import MutationResult
from portal.rows import Partial, field_types, wire_body

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    # What a declaration does not give is None. Only Python from 3.13 on knows such defaults.
    GivenData = TypeVarWithDefault("GivenData", default=None)
    GivenBody = TypeVarWithDefault("GivenBody", default=None)

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")

#: A request with one of them asks for no change (RFC 9110, section 9.2.1).
READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class MutationHook(DeclaredMutation[TData, TBody, TParams]):
    """`use_<name>_mutation`: returns a mutation that `.mutate(...)` runs. Made by :func:`mutation_endpoint`."""

    @property
    def call_shape(self) -> str:
        """How `mutate` is called."""
        parts = [f"{name}=…" for name in ("body", "params") if name in self.declared_types]
        return f"mutate({', '.join(parts)})"

    def wire_body(self, body: object) -> Any:
        """A body as it is sent.

        :param body: what the endpoint declares. In place of some fields of a row it may be a mapping by their names on
            the wire.
        :raises UsageError: it is something else, or can't be written as JSON.
        """
        if get_origin(self.body) is Partial:
            [row] = get_args(self.body)
            given: Any = getattr(body, "record", type(body))
            if not isinstance(body, Mapping) and not (isinstance(body, Partial) and issubclass(row, given)):
                raise UsageError(
                    f"{self.key}: the body should be {row.__name__}.partial(…), not one of {given.__name__}"
                )
            unknown = [name for name in body if name not in field_types(row)] if isinstance(body, Mapping) else []
            if unknown:
                raise UsageError(f"{self.key}: {row.__name__} has no field {', '.join(unknown)} on the wire")
        elif is_typeddict(self.body) and not isinstance(body, Mapping):
            raise UsageError(f"{self.key}: the body should be a mapping, not {type(body).__name__}")
        return wire_body(body, endpoint=self.key)

    def __call__(
        self,
        request: Requester,
        *,
        on_success: Callable[[TData], object] | None = None,
        on_error: Callable[[ApiError], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Mutation[TData, TBody, TParams]:
        """Prepare the write.

        :param request: whose write: the request, or a command's `QueryClient`.
        :param on_success: called once with the response's data, after the cached lists show the write.
        :param on_error: called once when all tries failed.
        :param idempotency_key: for a write that another request may repeat, such as a form whose response was lost:
            under the same key, the same body is sent under the same `Idempotency-Key`, and another body under another
            one. Without it, each run has its own key.
        """
        return Mutation(
            hook=self,
            client=client_of(request),
            method=getattr(request, "method", None),
            on_success=on_success,
            on_error=on_error,
            idempotency_key=idempotency_key,
        )


@dataclass(frozen=True, kw_only=True)
class Mutation(Generic[TData, TBody, TParams]):
    """A write that is ready to run, any number of times.

    :param method: of the request that is answered; None in a command.
    """

    hook: MutationHook[TData, TBody, TParams]
    client: QueryClient
    method: str | None
    on_success: Callable[[TData], object] | None
    on_error: Callable[[ApiError], object] | None
    idempotency_key: str | None = None

    @overload
    def mutate(self: Mutation[TData, None, None], *, if_match: int | str | None = ...) -> MutationResult[TData]: ...
    @overload
    def mutate(
        self: Mutation[TData, TBody, None], *, body: TBody, if_match: int | str | None = ...
    ) -> MutationResult[TData]: ...
    @overload
    def mutate(
        self: Mutation[TData, None, TParams], *, params: TParams | Mapping[str, Any], if_match: int | str | None = ...
    ) -> MutationResult[TData]: ...
    @overload
    def mutate(
        self, *, body: TBody, params: TParams | Mapping[str, Any], if_match: int | str | None = ...
    ) -> MutationResult[TData]: ...
    def mutate(
        self, *, body: Any = None, params: Any = None, if_match: int | str | None = None
    ) -> MutationResult[TData]:
        """Run it, with one further try where that can help.

        :param if_match: the `version` of the row that the user saw: where the row is another version by now, nothing is
            written, and the error is an :class:`~portal.errors.ApiPreconditionFailedError`. None writes in any case.
        :returns: data or error, as a value.
        :raises UsageError: the call does not have the shape that the endpoint declares, or the request must not write.
        :raises SignInEndedError: the sign-in is over.
        """
        hook = self.hook
        if self.method in READING_METHODS:
            raise UsageError(
                f"{hook.key}: what answers {self.method} must not write, since browsers repeat and prefetch it;"
                ' let a form with method="post" send it, and give the view @require_POST'
            )
        if (body is None) != (hook.body is None) or (params is None) != (hook.params is None):
            raise UsageError(f"{hook.key}: call {hook.call_shape}, as its endpoint declares")
        write = self._request(body, params, if_match)
        return self.client.mutate(write, on_success=self.on_success, on_error=self.on_error)

    def was_sent(self, *, body: TBody, params: TParams | Mapping[str, Any] | None = None) -> bool:
        """Return whether a POST of just this is under way or done under the same `idempotency_key`."""
        key = self._request(body, params, None).idempotency_key
        cache, known = self.client.reads.sign_in.cache(), self.client.reads.fetcher.runtime.cache.sent_keys
        return key is not None and cache is not None and known.is_answered(key, name=cache.name)

    def _request(self, body: object, params: object, if_match: int | str | None) -> WriteRequest:
        hook, key = self.hook, self.idempotency_key or None
        checked = checked_params(given=params, declared=hook.params, endpoint=hook.key)
        sent = None if body is None else hook.wire_body(body)
        if key is not None:
            key = derived_key(key, endpoint=hook.key, params=checked, body=sent, if_match=if_match)
        return WriteRequest(
            hook=hook,
            variables=Variables(body=sent, params=checked),
            invalidations=hook.invalidations,
            idempotency_key=key,
            if_match=if_match,
        )


@overload
def mutation_endpoint(
    *,
    url: str,
    method: Method,
    data: type[GivenData] | None = None,
    body: type[GivenBody] | None = None,
    optional: bool = ...,
) -> MutationHook[GivenData, GivenBody, None]: ...
@overload
def mutation_endpoint(
    *,
    url: Url[Any],
    method: Method,
    params: type[TParams],
    data: type[GivenData] | None = None,
    body: type[GivenBody] | None = None,
    optional: bool = ...,
) -> MutationHook[GivenData, GivenBody, TParams]: ...
def mutation_endpoint(
    *,
    url: Url[Any],
    method: Method,
    data: type[Any] | None = None,
    body: type[Any] | None = None,
    params: type[Any] | None = None,
    optional: bool = False,
) -> MutationHook[Any, Any, Any]:
    """Declare a write, as an attribute of a `MutationGroup`.

    :param data: type of the response; leave it out where there is none.
    :param body: type of what is sent, such as `Partial[Client]` or a TypedDict; leave it out where nothing is.
    :param params: class of the parameters, such as `RowParams`. Those that the url does not take go into the query
        string.
    :param url: path below the backend's address, such as `/energy/clients/{id}`, or a function of the parameters that
        returns one. Parameters in a path are percent-encoded.
    :param optional: True for a call that a backend may lack: it is offered where it is declared to be.
    :raises UsageError: the url is not a path, or the method does not write.
    """
    return MutationHook(url=url, method=method, data=data, body=body, params=params, optional=optional)
