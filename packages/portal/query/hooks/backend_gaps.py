"""What pages ask before they offer something: which optional calls and parameters the backend is known not to have."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from portal.errors import UsageError
from portal.query.client import QueryClient, client_of
from portal.query.endpoints import REGISTRY, DeclaredList
from portal.query.gaps import call_names, param_name
from portal.query.hooks.lists import PaginatedQueryHook
from portal.query.hooks.queries import QueryHook
from portal.query.process_state import process_runtime
from portal.query.reads import FetchPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.http import HttpRequest

    from portal.query.endpoints import Endpoint, QuerySpec


_MINUTE_S: Final = 60


def is_absent(hook: Endpoint[Any], source: HttpRequest | QueryClient | None) -> bool:
    """Whether the backend was last seen not to have this optional call. Nobody waits for an answer to this.

    After ten minutes a call that needs no parameters is asked again behind the request, and what was last known holds
    until there is an answer. Any other call counts as there again: only who makes it can find out.

    A process looks into the store twice a minute at most, and then for all calls at once.

    :param source: the request, since one user's calls may be refused and another's not; None for all users: then
        nothing is asked again.
    """
    if not hook.without:
        return False
    # A page asks this of each of its links: the request's client is made only where something is known.
    gaps = source.gaps if isinstance(source, QueryClient) else process_runtime().gaps
    partition = None if source is None or not gaps.has_refusals else client_of(source).partition
    gap = gaps.last(call_names(hook.key, partition), also=_optional_keys)
    if gap is None:
        return False
    client = None if source is None else client_of(source)
    if gap.until > (time.time() if client is None else client.reads.fetcher.clock()):
        return True
    spec = bare_spec(hook)
    if spec is None or not spec.query.hook.cache:
        return False
    if client is not None:
        plan = FetchPlan(call=spec, partition=client.partition, bearer=client.reads.partition.token)
        client.reads.revalidations.begin(plan, fetcher=client.reads.fetcher)
    return True


def is_refused_now(hook: Endpoint[Any], source: HttpRequest | QueryClient) -> bool:
    """Whether this optional call would not be made now: within the last ten minutes the backend was seen to lack it."""
    client = client_of(source)
    partition = client.partition if client.gaps.has_refusals else None
    now = client.reads.fetcher.clock()
    return hook.is_optional and client.gaps.current(call_names(hook.key, partition), now=now) is not None


def gaps_mark(source: HttpRequest | QueryClient | None) -> tuple[object, ...]:
    """Names what this module says to a user now, for who keeps what depends on it.

    It is another one after this process has learned something, and each minute: a gap ends by itself.

    :param source: None for what holds for all users.
    """
    gaps = process_runtime().gaps
    partition = client_of(source).partition if source is not None and gaps.has_refusals else None
    return gaps.revision, partition, int(time.time()) // _MINUTE_S


def is_known(hook: Endpoint[Any]) -> bool:
    """Whether this process knows if the backend has this optional call: by an answer, or by none within ten minutes."""
    gaps = process_runtime().gaps
    return gaps.was_answered(hook.key) or gaps.current([hook.key], now=time.time()) is not None


def bare_spec(hook: Endpoint[Any]) -> QuerySpec[Any] | None:
    """The call of a hook without parameters; None where there is none, and for a mutation."""
    if not isinstance(hook, QueryHook | PaginatedQueryHook) or hook.in_path:
        return None
    try:
        return hook.spec()
    except UsageError:
        return None


def note_absent(hook: Endpoint[Any], source: HttpRequest | QueryClient, *, status: int | None) -> None:
    """Remember for this user that the backend does not have this optional call, as if it had said so by itself.

    For who knows more than the answer tells: a page that changes a row gets a 404, and a GET says that the row is
    there. So it is the call that is not, or it is not for this user: nothing is learned for others. A call that this
    process has seen to work stays: a GET may be behind a write, and show a row that was just deleted.

    :param status: of the answer.
    """
    client = client_of(source)
    partition = client.partition
    if hook.is_optional and partition is not None and not client.gaps.was_answered(hook.key):
        now = client.reads.fetcher.clock()
        client.gaps.learn_absent(hook.key, partition, status=status, without=hook.without, now=now)


def forget_gaps() -> None:
    """Know of nothing that a backend does not have, as at first: for tests, each of which has a backend of its own."""
    process_runtime().gaps.clear()


def ignored_params(hook: DeclaredList[Any, Any], wire_params: Iterable[str]) -> tuple[str, ...]:
    """Those of a list's parameters that the backend was seen to ignore or to refuse within the last ten minutes.

    :param wire_params: their names on the wire, such as `clientId` or `q`.
    """
    gaps, now = process_runtime().gaps, time.time()
    names = {param: param_name(hook.key, param) for param in wire_params}
    if gaps.last(names.values(), also=_param_names) is None:
        return ()
    return tuple(param for param, name in names.items() if gaps.remembered([name], now=now) is not None)


def ignores(hook: DeclaredList[Any, Any], wire_param: str) -> bool:
    """Whether this one is one of them."""
    return bool(ignored_params(hook, [wire_param]))


def _optional_keys() -> list[str]:
    hooks: tuple[Endpoint[Any], ...] = (*REGISTRY.queries.values(), *REGISTRY.mutations.values())
    return [hook.key for hook in hooks if hook.is_optional]


def _param_names() -> Iterator[str]:
    lists = (query for query in REGISTRY.queries.values() if isinstance(query, DeclaredList))
    return (param_name(each.key, param) for each in lists for param in ("q", "sort", *each.filters))
