"""Who the user is, from `GET /me`: fetched at most once for each page, shared by all who ask.

Requirements, "Private application shell". Where `/me` fails although there is a token, the page is served with a
placeholder, which the browser then fills from `GET /{locale}/essentials`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.config.current import portal_config
from portal.config.wire_names import PROFILE_EMAIL_FIELD, PROFILE_NAME_FIELD, PROFILE_PERMISSIONS_FIELD
from portal.edge import home_path
from portal.errors import ApiError, StoreUnavailableError
from portal.identity import derive_platforms_from_me, permission_strings
from portal.services.user import UserQueries
from portal.web.frame.platform_names import platform_name
from portal.web.frame.provider_session import end_if_ended_at_provider
from portal.web.frame.shell import active_locale
from portal.web.present import text_of
from portal.web.request import is_signed_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.config.platforms import TPlatform
    from portal.web.request import PortalRequest

_MEMO = "_portal_essentials"
MAX_INITIALS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformLink:
    """A platform that the user may open.

    :param url: its home, through the gateway, or on this app where it is this app's own.
    """

    name: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Essentials:
    """The profile as the pages show it, and the platforms that it opens."""

    name: str
    email: str
    permissions: tuple[str, ...]
    platforms: tuple[TPlatform, ...]
    links: tuple[PlatformLink, ...]

    @property
    def initials(self) -> str:
        """Up to two letters for the account's badge."""
        words = [word for word in self.name.split() if word[0].isalnum()]
        return "".join(word[0] for word in words[:MAX_INITIALS]).upper() or "?"


def present_profile(
    profile: Mapping[str, Any], *, locale: str, gateway_url: str, own_platform: TPlatform | None
) -> Essentials:
    """The essentials of a profile; pure but for the platform names' translation."""
    platforms = derive_platforms_from_me(profile)
    return Essentials(
        name=text_of(profile, PROFILE_NAME_FIELD) or text_of(profile, PROFILE_EMAIL_FIELD) or "–",
        email=text_of(profile, PROFILE_EMAIL_FIELD),
        permissions=permission_strings(profile.get(PROFILE_PERMISSIONS_FIELD)),
        platforms=platforms,
        links=tuple(
            PlatformLink(
                name=platform_name(platform),
                url=f"{'' if platform == own_platform else gateway_url}/{locale}{home_path(platform)}",
                current=platform == own_platform,
            )
            for platform in platforms
        ),
    )


def fetch_user_essentials(request: PortalRequest) -> Essentials | None:
    """Ask `GET /me` (or its cached answer) and remember the outcome for the rest of this request.

    :returns: None where the request has no sign-in, and where `/me` fails: the page then shows the placeholder.
        A sign-in that ended, or that the backend rejects, is no failure of `/me`: it is raised.
    :raises portal.errors.SignInEndedError: the backend refused the refresh.
    """
    essentials = _from_me(request) if is_signed_in(request) else None
    setattr(request, _MEMO, essentials)
    return essentials


def start_essentials(request: PortalRequest) -> bool:
    """Begin to ask `GET /me` while the request goes on, where that takes a call and it is known whose the token is.

    :returns: whether it is under way: :func:`use_app_essentials` will wait for it.
    :raises portal.errors.SignInEndedError: the backend refused the refresh.
    """
    if hasattr(request, _MEMO) or not is_signed_in(request):
        return False
    end_if_ended_at_provider(request)
    try:
        return request.query_client.start(UserQueries.use_get_me_query.spec())
    except (ApiError, StoreUnavailableError):
        return False


def use_app_essentials(request: PortalRequest) -> Essentials | None:
    """What this request already learned, else what :func:`fetch_user_essentials` gives."""
    if not hasattr(request, _MEMO):
        return fetch_user_essentials(request)
    return known_essentials(request)


def known_essentials(request: PortalRequest) -> Essentials | None:
    """What this request learned so far; asks nobody."""
    return getattr(request, _MEMO, None)


def skip_profile(request: PortalRequest) -> None:
    """Do not ask `/me` for this page any more: what it says is that the backend does not answer."""
    if not hasattr(request, _MEMO):
        setattr(request, _MEMO, None)


def _from_me(request: PortalRequest) -> Essentials | None:
    end_if_ended_at_provider(request)
    try:
        result = UserQueries.use_get_me_query(request)
    except (ApiError, StoreUnavailableError):
        return None
    if not isinstance(result.data, dict):
        return None
    essentials = present_own_profile(result.data)
    request.me_platforms = essentials.platforms
    return essentials


def present_own_profile(profile: Mapping[str, Any]) -> Essentials:
    """The essentials of a profile in this project, in the page's language."""
    config = portal_config()
    platform = config.project.platform
    return present_profile(
        profile,
        locale=active_locale(),
        gateway_url=config.gateway_url,
        own_platform=platform.name if platform else None,
    )


def platform_is_denied(request: PortalRequest) -> bool:
    """Whether the profile says that this app's platform is not the user's; unknown is not denied."""
    use_app_essentials(request)
    return profile_denies(request)


def profile_denies(request: PortalRequest) -> bool:
    """The same from what this request learned so far; asks nobody."""
    platform = portal_config().project.platform
    essentials = known_essentials(request)
    return platform is not None and essentials is not None and platform.name not in essentials.platforms
