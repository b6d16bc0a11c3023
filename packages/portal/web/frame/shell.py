"""What the frame around every page needs: addresses, languages, the app's name. Nothing here calls the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from portal.config.current import portal_config
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.web.frame.account_tag import account_tag
from portal.web.frame.platform_names import project_name

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.edge import EdgeUser

#: Where the edge leaves the forwarded path (contract, section 5, row 5).
PATHNAME_META = "HTTP_X_PATHNAME"
LOGIN_PATH = "/login"
LOGOUT_PATH = "/logout"
SIGNED_OUT_PATH = "/signed-out"
ESSENTIALS_PATH = "/essentials"
PROFILE_PATH = "/profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocaleChoice:
    """One language of the switch."""

    code: str
    name: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The frame of one page.

    :param app: the project's folder.
    :param pathname: the forwarded path with its locale, without query.
    :param current_path: the same with its query, to come back to.
    :param home_url: the user's default home, the profile where that home is denied; the sign-in page when signed out.
    :param has_navigation: whether the user may open this app's pages, so that the sidebar lists them.
    :param account: the user's mark for the sign-in watch; None when unknown.
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
    def locales(self) -> tuple[LocaleChoice, ...]:
        """All languages, the page's own marked."""
        return tuple(LocaleChoice(code=code, name=name, current=code == self.locale) for code, name in LOCALES.items())

    @property
    def logout_url(self) -> str:
        """Where this app signs people out."""
        return f"/{self.locale}{LOGOUT_PATH}"

    @property
    def login_url(self) -> str:
        """The gateway's sign-in page."""
        return f"{self.gateway_url}/{self.locale}{LOGIN_PATH}"

    @property
    def profile_url(self) -> str:
        """The user's profile, which the gateway serves."""
        return f"{self.gateway_url}/{self.locale}{PROFILE_PATH}"

    @property
    def on_profile(self) -> bool:
        """Whether this page is the profile."""
        return self.pathname == f"/{self.locale}{PROFILE_PATH}"

    @property
    def essentials_url(self) -> str:
        """Where the browser asks for the placeholder's content."""
        return f"/{self.locale}{ESSENTIALS_PATH}"

    @property
    def stylesheet(self) -> str:
        """The app's own style sheet, which sets its accent."""
        return f"{self.app}/app.css"

    @property
    def navigation_template(self) -> str:
        """The app's own entries of the sidebar."""
        return f"{self.app}/navigation.html"


def shell_for(request: HttpRequest, *, profile_denies: bool = False) -> Shell:
    """The frame for this request; also for one that the edge did not forward (an ungated path).

    :param profile_denies: whether the profile, if it is known, says that this app's platform is not the user's.
    """
    config = portal_config()
    locale = active_locale()
    edge_user: EdgeUser | None = getattr(request, "edge_user", None)
    user = edge_user if edge_user is not None and edge_user.signed_in else None
    platform = config.project.platform
    home_url = f"{config.gateway_url}/{locale}{LOGIN_PATH}"
    if user is not None:
        home_url = f"{config.gateway_url}/{locale}{PROFILE_PATH}" if profile_denies else user.home_url
    may_open = user is not None and platform is not None and not profile_denies and platform.name in user.platforms
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
        account=account_tag(user),
    )


def active_locale() -> str:
    """The language of this request, one of the registered ones."""
    language = get_language()
    return language if language in LOCALES else DEFAULT_LOCALE
