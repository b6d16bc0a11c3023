"""The signed-in user, from `GET /me`: read at most once in a request (requirements, "Private application shell").

If `/me` fails, the page is served with a placeholder, which the browser fills from `GET /{locale}/essentials`.

The names of the platforms in the page's language, and the platforms of which the backend offers nothing.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext

from portal.api import api_session
from portal.config.contract_names import (
    PROFILE_EMAIL_FIELD,
    PROFILE_ID_FIELD,
    PROFILE_NAME_FIELD,
    PROFILE_PERMISSIONS_FIELD,
)
from portal.config.current import portal_config
from portal.config.platforms import PLATFORM_BY_NAME, PLATFORMS, TPlatform
from portal.errors import ApiError, SignInEndedError, StoreUnavailableError
from portal.identity import derive_platforms_from_me, permission_strings
from portal.query import REGISTRY, offers
from portal.services.user import UserQueries
from portal.web.present import NO_VALUE
from portal.web.request import PortalRequest, active_locale, is_signed_in

_MEMO = "_portal_essentials"
MAX_INITIALS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformLink:
    """A platform that the user may open.

    :param url: the platform's home: a path on this app if the platform is this app's own, else an address of the
        gateway.
    """

    name: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Essentials:
    """The profile as pages show it, and the platforms that the user may open.

    :param opens_app: whether the user may open this app's own platform; true for the gateway.
    :param id: empty where the backend does not say it.
    """

    name: str
    email: str
    permissions: tuple[str, ...]
    platforms: tuple[TPlatform, ...]
    links: tuple[PlatformLink, ...]
    opens_app: bool
    id: str = ""

    @property
    def initials(self) -> str:
        """Up to two letters for the account's badge."""
        words = [word for word in self.name.split() if word[0].isalnum()]
        return "".join(word[0] for word in words[:MAX_INITIALS]).upper() or "?"


def platform_name(name: TPlatform) -> str:
    """The name that pages show for a platform: translated by the product's own catalogs, in `apps/locale`."""
    return gettext(PLATFORM_BY_NAME[name].name.replace("_", " ").capitalize())


def absent_platforms() -> frozenset[TPlatform]:
    """The platforms of which the backend offers nothing: in no navigation, and nobody's home. Every request asks."""
    return _absent(portal_config().offers, len(REGISTRY.queries))


@lru_cache(maxsize=16)
def _absent(offered: frozenset[str] | None, declared: int) -> frozenset[TPlatform]:  # noqa: ARG001  the key
    hooks = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    of_apps = {each.name: [hook for hook in hooks if hook.key.startswith(f"{each.app}.")] for each in PLATFORMS}
    return frozenset(name for name, own in of_apps.items() if own and not any(map(offers, own)))


def present_own_profile(profile: Mapping[str, Any]) -> Essentials:
    """The essentials of a profile in this app, in the page's language."""
    config, locale = portal_config(), active_locale()
    own = config.project.platform
    own_platform, absent = None if own is None else own.name, absent_platforms()
    platforms = derive_platforms_from_me(profile)
    email = _text(profile.get(PROFILE_EMAIL_FIELD))
    return Essentials(
        name=_text(profile.get(PROFILE_NAME_FIELD)) or email or NO_VALUE,
        email=email,
        permissions=permission_strings(profile.get(PROFILE_PERMISSIONS_FIELD)),
        platforms=platforms,
        links=tuple(
            PlatformLink(
                name=platform_name(platform),
                url=f"{'' if platform == own_platform else config.gateway_url}/{locale}"
                f"{PLATFORM_BY_NAME[platform].prefix}",
                current=platform == own_platform,
            )
            for platform in platforms
            if platform not in absent
        ),
        opens_app=own_platform is None or own_platform in platforms,
        id=_text(profile.get(PROFILE_ID_FIELD)),
    )


def _text(value: object) -> str:
    """A text, or a number as a text; empty for anything else."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def start_essentials(request: PortalRequest) -> bool:
    """Begin to read `GET /me` in another thread, if that takes a call.

    :returns: whether it has begun: :func:`use_app_essentials` will wait for it.
    :raises portal.errors.SignInEndedError: the backend refused the refresh.
    """
    if hasattr(request, _MEMO) or not is_signed_in(request):
        return False
    _end_if_ended_at_provider(request)
    try:
        started = request.query_client.start(UserQueries.use_get_me_query.spec())
    except (ApiError, StoreUnavailableError):
        return False
    if isinstance(started, bool):
        return started
    _remember(request, started.data)
    return False


def fetch_user_essentials(request: PortalRequest) -> Essentials | None:
    """Read `GET /me`, or its cached response, and keep the result for the rest of this request.

    :returns: None if nobody is signed in, or if `/me` fails: the page then shows the placeholder.
    :raises portal.errors.SignInEndedError: the backend refused the refresh, or the provider has ended the sign-in.
    """
    profile: object = None
    if is_signed_in(request):
        _end_if_ended_at_provider(request)
        with suppress(ApiError, StoreUnavailableError):
            profile = UserQueries.use_get_me_query(request).data
    return _remember(request, profile)


def _remember(request: PortalRequest, profile: object) -> Essentials | None:
    essentials = None
    if isinstance(profile, dict):
        essentials = present_own_profile(profile)
        request.me_platforms = essentials.platforms
    setattr(request, _MEMO, essentials)
    return essentials


def _end_if_ended_at_provider(request: PortalRequest) -> None:
    """If the identity provider has ended this sign-in, end it here, and purge its cached data.

    :raises SignInEndedError: the provider has ended it.
    """
    if not portal_config().oidc.enabled:
        return
    tokens = request.token_store
    if not api_session().ended_at_provider(tokens.current, request_id=request.request_id):
        return
    request.query_client.purge()
    refresh = tokens.current.refresh
    if refresh is None:
        tokens.clear()
    else:
        tokens.end(rejected=refresh)
    raise SignInEndedError("the provider has ended this sign-in")


def use_app_essentials(request: PortalRequest) -> Essentials | None:
    """The essentials that this request has read already, else those of :func:`fetch_user_essentials`."""
    return known_essentials(request) if hasattr(request, _MEMO) else fetch_user_essentials(request)


def known_essentials(request: PortalRequest) -> Essentials | None:
    """The essentials that this request has read already. Reads nothing."""
    return getattr(request, _MEMO, None)


def skip_profile(request: PortalRequest) -> None:
    """Do not read `/me` for this page any more, because the page says that the backend is down."""
    if not hasattr(request, _MEMO):
        setattr(request, _MEMO, None)


def page_is_denied(request: PortalRequest, permission: str = "") -> bool:
    """Whether `/me` says that the user may not open this app's platform, or lacks a permission. False if `/me` fails.

    :param permission: what the page needs beside the platform; empty for nothing.
    """
    essentials = use_app_essentials(request)
    if essentials is None:
        return False
    return not essentials.opens_app or (bool(permission) and permission not in essentials.permissions)


def open_platforms(request: PortalRequest) -> tuple[TPlatform, ...]:
    """The platforms that the user may open: as `/me` said in this request, else as the token says. Reads nothing."""
    known = getattr(request, "me_platforms", None)
    edge_user = getattr(request, "edge_user", None)
    return known if known is not None else edge_user.platforms if edge_user is not None else ()
