"""One-shot reads: `queryEndpoint` (requirements, "Client-side hook generators"); and several reads at the same time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, Generic, ParamSpec, TypeAlias, TypeVar, Unpack, overload

from django.http import HttpRequest

from portal.errors import UsageError
from portal.query.client import QueryClient, client_of
from portal.query.endpoints import DeclaredQuery, QueryKey, QuerySpec, ReadOptions, ReadRequest, Url
from portal.query.results import QueryResult
from portal.rows import Decoder, Params, decoder_of, id_field

#: Whose data: a request, or a command's client.
Requester: TypeAlias = "HttpRequest | QueryClient"
#: All parameters of a call at once: by their names on the wire, or as an object of the declared class.
AllParams: TypeAlias = Mapping[str, Any] | Params
P = ParamSpec("P")
TData = TypeVar("TData")
#: A hook of what a detail has beside a row is also a hook of the row.
TData_co = TypeVar("TData_co", covariant=True)

_TEXT: Final = frozenset({str})


class ReadHook(DeclaredQuery[Any]):
    """What the hooks of one-shot queries and of lists have in common."""

    def _request(self, args: Sequence[object], named: Mapping[str, Any]) -> ReadRequest:
        """The read with the parameters of a call. Those without parameters, which most are, share one.

        :param args: at most one value: a mapping by names on the wire, or an object of the declared class.
        :param named: the parameters by name, or that value as `params`.
        """
        if not args and not named:
            return self._bare_request
        given = named if not args else args[0] if len(args) == 1 and not named else None
        if type(given) is dict and _TEXT.issuperset(map(type, chain(given, given.values()))):
            return _request_of_texts(self._new_request, tuple(given.items()), by_name=not args)
        return self._new_request(args, named)

    def _new_request(self, args: Sequence[object], named: Mapping[str, Any]) -> ReadRequest:
        given: object = args[0] if args else named.get("params")
        by_name = {name: value for name, value in named.items() if name != "params"}
        if len(args) > 1 or (given is not None and (by_name or len(args) + ("params" in named) > 1)):
            raise UsageError(f"{self.key}: give the parameters by name, or all of them as params=…")
        if by_name:
            given = self.named_params(by_name)
        return self._bare_request if given is None or given == {} else self._made_request(self.query_key(given))

    @cached_property
    def _bare_request(self) -> ReadRequest:
        return self._made_request(self.query_key())

    def _made_request(self, key: QueryKey) -> ReadRequest:
        raise NotImplementedError

    def invalidate(
        self,
        request: Requester,
        *,
        params: AllParams | None = None,
        matching: Mapping[str, Any] | None = None,
    ) -> None:
        """Make cached responses stale for this user, in all processes: the next read of each fetches.

        :param params: the one query with exactly these parameters; without `params` and `matching` all of them.
        :param matching: all queries that have these parameters among theirs.
        :raises UsageError: the parameters do not fit the declaration.
        """
        exact = None if params is None else self.query_key(params).params
        client_of(request).invalidate(self.key, params=exact, matching=matching)


@lru_cache(maxsize=1024)
def _request_of_texts(
    make: Callable[..., ReadRequest], given: tuple[tuple[str, str], ...], *, by_name: bool
) -> ReadRequest:
    """A read that is made once for all requests of the process: most parameters are an id, or a word.

    :param make: of a hook.
    """
    return make((), dict(given)) if by_name else make([dict(given)], {})


@dataclass(kw_only=True, eq=False)
class QueryHook(ReadHook, Generic[TData_co, P]):
    """`use_<name>_query`: reads through the cache. Made by :func:`query_endpoint`.

    :param data: type of the response.
    """

    data: type[TData_co]

    @overload
    def __call__(self, request: Requester, /, *args: P.args, **named: P.kwargs) -> QueryResult[TData_co]: ...
    @overload
    def __call__(self, request: Requester, /, params: AllParams) -> QueryResult[TData_co]: ...
    def __call__(self, request: Requester, /, *args: Any, **named: Any) -> QueryResult[TData_co]:
        """Read from the cache while fresh, else from the backend.

        ::

            ClientQueries.use_get_client_query(request, id=client_id)

        :param request: whose data: the request, or a command's `QueryClient`.
        :param named: the parameters, by name; or all of them as `params`: a mapping by the names on the wire, or an
            object of the declared class.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        return client_of(request).run(self.spec(*args, **named))

    #: Fetches the response into the cache for a later read. A failure is reported by that read.
    prefetch = __call__

    @overload
    def spec(self, *args: P.args, **named: P.kwargs) -> QuerySpec[QueryResult[TData_co]]: ...
    @overload
    def spec(self, params: AllParams) -> QuerySpec[QueryResult[TData_co]]: ...
    def spec(self, *args: Any, **named: Any) -> QuerySpec[QueryResult[TData_co]]:
        """The same call, for `use_queries` to run at the same time as others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return QuerySpec(query=self._request(args, named))

    def _made_request(self, key: QueryKey) -> ReadRequest:
        return ReadRequest(hook=self, key=key, decode=self._decode, id_field=id_field(self.data))

    @cached_property
    def _decode(self) -> Decoder | None:
        return decoder_of(self.data)


@overload
def query_endpoint(*, data: type[TData], url: str, **options: Unpack[ReadOptions]) -> QueryHook[TData, []]: ...
@overload
def query_endpoint(
    *, data: type[TData], params: Callable[P, object], url: Url[Any], **options: Unpack[ReadOptions]
) -> QueryHook[TData, P]: ...
def query_endpoint(
    *, data: type[Any], url: Url[Any], params: Any = None, **options: Unpack[ReadOptions]
) -> QueryHook[Any, Any]:
    """Declare a one-shot GET, as an attribute of a `QueryGroup`.

    :param data: type of the response: a :class:`~portal.rows.records.Record`, or a list or dict of them, is
        decoded; with any other type the JSON is returned as it came.
    :param params: class of the parameters, :class:`~portal.rows.parameters.Params`: its fields are the hook's
        keywords. Those that the url does not take go into the query string.
    :param url: path below the backend's address, such as `/energy/clients/{id}`, or a function of the parameters that
        returns one. Parameters in a path are percent-encoded.
    :param options: `stale_time_s`, `cache`, `stale_while_revalidate`, `optional`, `tags`: see
        :class:`~portal.query.endpoints.declarations.ReadOptions`.
    :raises UsageError: the url is not a path, or an option does not fit.
    """
    return QueryHook(data=data, url=url, params=params, **options)


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


@overload
def use_queries(request: Requester, specs: Sequence[QuerySpec[A]], /) -> list[A]: ...
@overload
def use_queries(request: Requester, a: QuerySpec[A], b: QuerySpec[B], /) -> tuple[A, B]: ...
@overload
def use_queries(request: Requester, a: QuerySpec[A], b: QuerySpec[B], c: QuerySpec[C], /) -> tuple[A, B, C]: ...
@overload
def use_queries(
    request: Requester, a: QuerySpec[A], b: QuerySpec[B], c: QuerySpec[C], d: QuerySpec[D], /
) -> tuple[A, B, C, D]: ...
@overload
def use_queries(
    request: Requester, a: QuerySpec[A], b: QuerySpec[B], c: QuerySpec[C], d: QuerySpec[D], e: QuerySpec[E], /
) -> tuple[A, B, C, D, E]: ...
@overload
def use_queries(
    request: Requester,
    a: QuerySpec[A],
    b: QuerySpec[B],
    c: QuerySpec[C],
    d: QuerySpec[D],
    e: QuerySpec[E],
    f: QuerySpec[F],
    /,
) -> tuple[A, B, C, D, E, F]: ...
def use_queries(request: Any, /, *specs: Any) -> Any:
    """Run queries in parallel: the ones that are not cached are fetched at the same time.

    ::

        clients, stations = use_queries(
            request, ClientQueries.use_get_clients_query.spec(), StationQueries.use_get_stations_query.spec(pages=2)
        )

    The results have the order of the queries; a failure is in its result's `error`. All of them share the request's
    time budget and one refresh of its token. The same query twice is run once.

    :param request: whose data: the request, or a command's `QueryClient`.
    :param specs: two to six calls of hooks, each made by the hook's `spec(…)`; or one list with any number of them, for
        which a list is returned.
    :raises UsageError: an argument is not a call of a hook.
    :raises SignInEndedError: the sign-in is over.
    """
    given, is_list = (specs[0], True) if len(specs) == 1 and isinstance(specs[0], list | tuple) else (specs, False)
    for number, spec in enumerate(given, start=1):
        if not isinstance(spec, QuerySpec):
            raise UsageError(
                f"use_queries: query {number} should be a hook's spec(…), which does not run it, such as"
                f" ClientQueries.use_get_clients_query.spec(params), not a {type(spec).__name__}"
            )
    results = client_of(request).queries(given)
    return results if is_list else tuple(results)
