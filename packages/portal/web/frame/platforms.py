"""The names of the platforms and the gateway in the page's language, and platforms that the backend has nothing of.

Those are not in the navigation, and nobody's home. A platform is absent if none of its calls is required, and each of
its reads without a path parameter is known to be absent (contract, section 7). What its pages have asked says so: an
overview asks for all that it could show.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext

from portal.api import TokenPair, TokenStore, api_session
from portal.config.contract_names import OF_A_LIST
from portal.config.limits import ABSENT_S
from portal.config.platforms import PLATFORM_BY_NAME, PLATFORMS
from portal.config.product import msgid
from portal.errors import ApiAbsentError, ApiError, SignInEndedError, StoreUnavailableError
from portal.query import REGISTRY, bare_spec, create_query_client, is_absent, is_known, use_queries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from django.http import HttpRequest

    from portal.config.platforms import Platform, TPlatform
    from portal.config.projects import Project
    from portal.web.request import PortalRequest


GATEWAY_NAME = msgid("Account")


def platform_name(name: TPlatform) -> str:
    """The name that pages show for a platform: translated by the product's own catalogs, in `apps/locale`."""
    return gettext(PLATFORM_BY_NAME[name].name.replace("_", " ").capitalize())


@lru_cache(maxsize=64)
def project_name(
    project: Project,
    locale: str,  # noqa: ARG001  the key
) -> str:
    """The name that pages show for an app, in the active language `locale`."""
    return gettext(GATEWAY_NAME) if project.platform is None else platform_name(project.platform.name)


#: A process looks once in each such time, seconds.
PLATFORMS_KNOWN_FOR_S: Final = 5.0
#: Time of all calls together that tell what the backend has, seconds.
FIRST_LOOK_S: Final = 2.0
#: Until when, by the keys of the calls, monotonic seconds.
_failed: dict[str, float] = {}


def absent_platforms() -> frozenset[TPlatform]:
    """The platforms that the backend is known to have nothing of. Cheap: every request asks."""
    return _absent_during(time.monotonic() // PLATFORMS_KNOWN_FOR_S)


@lru_cache(maxsize=1)
def _absent_during(time_slot: float) -> frozenset[TPlatform]:  # noqa: ARG001  the key
    """What this process last knew. Two threads that look at once find the same."""
    return frozenset(platform.name for platform in PLATFORMS if _is_absent(platform.app))


def ask_for_the_rest(request: HttpRequest, platform: Platform) -> None:
    """Ask for all of a platform whose overview is not there: then it is known whether the platform is."""
    specs = [hook.spec() for hook in _reads(platform.app) if not is_absent(hook, request)]
    use_queries(request, specs)
    _absent_during.cache_clear()


def reads_of(platforms: Collection[TPlatform]) -> list[Any]:
    """The reads of these platforms that need no parameters."""
    return [hook for each in PLATFORMS if each.name in platforms for hook in _reads(each.app)]


def ask_what_is_unknown(request: PortalRequest, access_token: str | None, hooks: Iterable[Any]) -> None:
    """Ask for those of these optional reads of which it is not known whether the backend has them, side by side.

    It takes two seconds at most, and nothing of it fails or ends the request. What comes is cached for the pages. A
    failure changes nothing, and this process does not try for that again for ten minutes.
    """
    now = time.monotonic()
    unknown = [hook for hook in hooks if hook.is_optional and now >= _failed.get(hook.key, 0.0) and not is_known(hook)]
    if not unknown:
        return
    client = create_query_client(
        # Without the refresh token: a 401 here is no reason to use it.
        tokens=TokenStore(TokenPair(access=access_token)),
        api=api_session(),
        deadline=request.api_deadline.part(seconds=FIRST_LOOK_S),
        request_id=request.request_id,
    )
    with suppress(ApiError, StoreUnavailableError, SignInEndedError):
        results = use_queries(client, [hook.spec() for hook in unknown])
        for hook, result in zip(unknown, results, strict=True):
            if result.error is not None and not isinstance(result.error, ApiAbsentError):
                _failed[hook.key] = now + ABSENT_S
        _absent_during.cache_clear()


def _is_absent(domain: str) -> bool:
    hooks = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    own = [hook for hook in hooks if hook.key.startswith(f"{domain}.")]
    reads = list(_reads(domain))
    return bool(reads) and all(hook.is_optional for hook in own) and all(is_absent(hook, None) for hook in reads)


def _reads(domain: str) -> Iterator[Any]:
    """Those that need no parameters. Counts and totals belong to their list."""
    for hook in REGISTRY.queries.values():
        is_of_a_list = hook.path_shape.rpartition("/")[2] in OF_A_LIST
        if hook.key.startswith(f"{domain}.") and not is_of_a_list and bare_spec(hook) is not None:
            yield hook
