"""`use_queries`: independent queries of one page, fetched at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from portal.errors import UsageError
from portal.query.client import client_of
from portal.query.endpoints import QuerySpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from portal.query.client import QueryClient

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


@overload
def use_queries(request: HttpRequest | QueryClient, specs: Sequence[QuerySpec[A]], /) -> list[A]: ...
@overload
def use_queries(request: HttpRequest | QueryClient, a: QuerySpec[A], b: QuerySpec[B], /) -> tuple[A, B]: ...
@overload
def use_queries(
    request: HttpRequest | QueryClient, a: QuerySpec[A], b: QuerySpec[B], c: QuerySpec[C], /
) -> tuple[A, B, C]: ...
@overload
def use_queries(
    request: HttpRequest | QueryClient, a: QuerySpec[A], b: QuerySpec[B], c: QuerySpec[C], d: QuerySpec[D], /
) -> tuple[A, B, C, D]: ...
@overload
def use_queries(
    request: HttpRequest | QueryClient,
    a: QuerySpec[A],
    b: QuerySpec[B],
    c: QuerySpec[C],
    d: QuerySpec[D],
    e: QuerySpec[E],
    /,
) -> tuple[A, B, C, D, E]: ...
@overload
def use_queries(
    request: HttpRequest | QueryClient,
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
