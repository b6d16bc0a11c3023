"""The frame around every page: its URLs, its languages, the app's name. Nothing here calls the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.config.current import portal_config
from portal.edge import LOGIN_PATH, PATHNAME_META, PROFILE_PATH
from portal.web.frame.account_tag import account_tag_of
from portal.web.frame.essentials import known_essentials
from portal.web.frame.platform_names import project_name
from portal.web.request import active_locale

if TYPE_CHECKING:
    from portal.edge import EdgeUser
    from portal.web.request import PortalRequest

LOGOUT_PATH = "/logout"
SIGNED_OUT_PATH = "/signed-out"
ESSENTIALS_PATH = "/essentials"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The frame of one page.

    :param app: the app's folder.
    :param pathname: the path with its locale, without the query.
    :param current_path: the path with the query, to come back to.
    :param home_url: the user's default home; the profile if `/me` denies this app; the sign-in page without a user.
    :param has_navigation: whether the user may open this app's pages, so that the sidebar lists them.
    :param account: the account tag, for the sign-in watch; None if it is unknown.
    """

    app: str
    app_name: str
    locale: str
    pathname: str
    current_path: str
    home_url: str
    gateway_url: str
    signed_in: bool
    has_navigation: bool
    account: str | None

    @property
    def logout_url(self) -> str:
        """The app's own sign-out page."""
        return f"/{self.locale}{LOGOUT_PATH}"

    @property
    def login_url(self) -> str:
        """The gateway's sign-in page."""
        return f"{self.gateway_url}/{self.locale}{LOGIN_PATH}"

    @property
    def profile_url(self) -> str:
        """The user's profile, a page of the gateway."""
        return f"{self.gateway_url}/{self.locale}{PROFILE_PATH}"

    @property
    def on_profile(self) -> bool:
        """Whether this page is the profile."""
        return self.pathname == f"/{self.locale}{PROFILE_PATH}"

    @property
    def essentials_url(self) -> str:
        """The URL of the placeholder's content."""
        return f"/{self.locale}{ESSENTIALS_PATH}"


def shell_for(request: PortalRequest) -> Shell:
    """The frame of this request; also of a request that the edge did not forward."""
    config = portal_config()
    locale = active_locale()
    edge_user: EdgeUser | None = getattr(request, "edge_user", None)
    user = edge_user if edge_user is not None and edge_user.signed_in else None
    essentials = known_essentials(request)
    is_denied = essentials is not None and not essentials.opens_app
    platform = config.project.platform
    home_url = f"{config.gateway_url}/{locale}{LOGIN_PATH}"
    if user is not None:
        home_url = f"{config.gateway_url}/{locale}{PROFILE_PATH}" if is_denied else user.home_url
    may_open = user is not None and platform is not None and not is_denied and platform.name in user.platforms
    return Shell(
        app=config.project.app,
        app_name=project_name(config.project),
        locale=locale,
        pathname=request.META.get(PATHNAME_META, request.path),
        current_path=request.get_full_path(),
        home_url=home_url,
        gateway_url=config.gateway_url,
        signed_in=user is not None,
        has_navigation=platform is None or may_open,
        account=account_tag_of(user),
    )
