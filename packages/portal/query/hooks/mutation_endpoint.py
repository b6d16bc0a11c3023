"""`mutation_endpoint`, overloaded on what a write has: an answer, a body, parameters."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, overload

from portal.errors import UsageError
from portal.query.endpoints.requests import Method
from portal.query.endpoints.urls import Url, check_url
from portal.query.hooks.mutations import MutationEndpoint

TData = TypeVar("TData")
TBody = TypeVar("TBody")
TParams = TypeVar("TParams")


@overload
def mutation_endpoint(*, url: str, method: Method) -> MutationEndpoint[None, None, None]: ...
@overload
def mutation_endpoint(*, data: type[TData], url: str, method: Method) -> MutationEndpoint[TData, None, None]: ...
@overload
def mutation_endpoint(*, body: type[TBody], url: str, method: Method) -> MutationEndpoint[None, TBody, None]: ...
@overload
def mutation_endpoint(
    *, data: type[TData], body: type[TBody], url: str, method: Method
) -> MutationEndpoint[TData, TBody, None]: ...
@overload
def mutation_endpoint(
    *, params: type[TParams], url: Url[TParams], method: Method
) -> MutationEndpoint[None, None, TParams]: ...
@overload
def mutation_endpoint(
    *, data: type[TData], params: type[TParams], url: Url[TParams], method: Method
) -> MutationEndpoint[TData, None, TParams]: ...
@overload
def mutation_endpoint(
    *, body: type[TBody], params: type[TParams], url: Url[TParams], method: Method
) -> MutationEndpoint[None, TBody, TParams]: ...
@overload
def mutation_endpoint(
    *, data: type[TData], body: type[TBody], params: type[TParams], url: Url[TParams], method: Method
) -> MutationEndpoint[TData, TBody, TParams]: ...
def mutation_endpoint(
    *,
    url: Url[Any],
    method: Method,
    data: type[Any] | None = None,
    body: type[Any] | None = None,
    params: type[Any] | None = None,
) -> MutationEndpoint[Any, Any, Any]:
    """Declare a write.

    :param data: type of the answer; leave it out where there is none.
    :param body: TypedDict of what is sent; leave it out where nothing is.
    :param params: TypedDict of the parameters. Those that the url does not take go into the query string.
    :param url: path below the backend's address, or a function of the parameters that gives one. It sees its
        parameters percent-encoded: an f-string is safe.
    :raises UsageError: the url is no path, or the method none that writes.
    """
    check_url(url, endpoint="mutation_endpoint")
    if method not in get_args(Method):
        raise UsageError(f"mutation_endpoint: the method should be one of {', '.join(get_args(Method))}")
    return MutationEndpoint(data=data, body=body, params=params, url=url, method=method)
