"""The frame around every page: its URLs, its languages, the app's name. Nothing here calls the backend.

The account tag: a short id of the signed-in account that does not reveal the account.

A page carries the tag of the account that it was rendered for, in its forms and for htmx. The sign-in watch compares
the tag with the one of `/sign-in-state`, and log lines carry it as `user`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.utils.translation import gettext

from portal.config.cookies import INTRODUCED, REFUSED_PLATFORM, SAVED_VIEWS, TABLE_LAYOUT
from portal.config.current import portal_config
from portal.config.platforms import PLATFORM_BY_NAME, TPlatform
from portal.config.product import msgid
from portal.config.projects import Project
from portal.edge import LOGIN_PATH, PATHNAME_META, PROFILE_PATH, EdgeUser
from portal.identity import DecodedUser, get_user_from_token
from portal.services.searched_lists import offered_lists
from portal.telemetry.audit import tag_of
from portal.web.frame.essentials import known_essentials, open_platforms, platform_name
from portal.web.preferences import active_zone_name, has_chosen_zone, own_cookie, theme_of
from portal.web.request import PortalRequest, active_locale, is_signed_in

#: Where a request names the account of the page that sent it: a form's hidden field, and htmx's header.
PAGE_ACCOUNT_FIELD: Final = "madeFor"
PAGE_ACCOUNT_META: Final = "HTTP_X_MADE_FOR"


def account_tag_of(edge_user: EdgeUser | None) -> str | None:
    """A truncated SHA-256 of the signed-in user's subject; None where the subject is unknown (contract, section 6)."""
    return None if edge_user is None or not edge_user.signed_in else _tag_of(edge_user.user)


def account_tag_now(request: PortalRequest) -> str | None:
    """The tag of the account for which this request ends: that of a sign-in or a refresh within it, else as it began.

    None if nobody is signed in, or the subject is unknown.
    """
    tokens = getattr(request, "token_store", None)
    if tokens is not None and tokens.cleared:
        return None
    if tokens is not None and tokens.changed:
        # The backend has just sent it: no signature has to be checked.
        return _tag_of(get_user_from_token(tokens.current.access or "", backend=portal_config().backend))
    return account_tag_of(getattr(request, "edge_user", None))


def _tag_of(user: DecodedUser | None) -> str | None:
    return tag_of(user.subject) if user is not None and user.subject else None


def is_from_another_account(request: PortalRequest) -> bool:
    """Whether the page that sent this request was rendered for another account than the one signed in now.

    Another tab can sign out and in again while a page stays open. False where one of the two accounts is unknown:
    the page sent no tag, or there is no access token.
    """
    field = request.POST.get(PAGE_ACCOUNT_FIELD) if request.method == "POST" else None
    page_account = field or request.META.get(PAGE_ACCOUNT_META)
    if not page_account:
        return False
    return account_tag_of(request.edge_user) not in {None, page_account}


GATEWAY_NAME = msgid("Account")
LOGOUT_PATH = "/logout"
SIGNED_OUT_PATH = "/signed-out"
ESSENTIALS_PATH = "/essentials"
SEARCH_PATH = "/search"
HELP_PATH = "/help"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShell:
    """The `shell` of a part that may be kept: what its links need, and nothing that names a user.

    :param platforms: those that the user may open.
    :param pathname: the path with its locale, without the query; empty in a part that is the same on each page.
    """

    locale: str
    gateway_url: str
    platforms: tuple[TPlatform, ...]
    pathname: str = ""

    @property
    def profile_url(self) -> str:
        """The user's profile, a page of the gateway."""
        return f"{self.gateway_url}/{self.locale}{PROFILE_PATH}"

    @property
    def on_profile(self) -> bool:
        """Whether this page is the profile."""
        return self.pathname == f"/{self.locale}{PROFILE_PATH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell(PartShell):
    """The frame of one page.

    :param app: the app's folder.
    :param current_path: the path with the query, to come back to.
    :param home_url: the user's default home; the profile if `/me` denies this app; the sign-in page without a user.
    :param has_navigation: whether the user may open this app's pages, so that the sidebar lists them.
    :param refused: the name of a platform that a redirect to this page has just refused; empty for none.
    :param account: the account tag, for the sign-in watch; None if it is unknown.
    :param time_zone: IANA's name of the zone in which the page's times are written.
    :param has_chosen_zone: whether the user has chosen it; if not, `portal.js` rewrites times in the browser's own.
    :param theme: `light` or `dark`; None for that of the system.
    :param saved_views: the cookie with the views of this app's lists, as it came.
    :param table_layout: the cookie with the look of their tables, as it came.
    :param is_introduced: whether somebody has read this app's introduction in this browser.
    """

    app: str
    app_name: str
    current_path: str
    home_url: str
    signed_in: bool
    has_navigation: bool
    account: str | None
    refused: str
    time_zone: str
    has_chosen_zone: bool
    theme: str | None
    saved_views: str
    table_layout: str
    is_introduced: bool

    def part(self) -> PartShell:
        """That of a part of this page."""
        return PartShell(
            locale=self.locale, gateway_url=self.gateway_url, platforms=self.platforms, pathname=self.pathname
        )

    @property
    def logout_url(self) -> str:
        """The app's own sign-out page."""
        return f"/{self.locale}{LOGOUT_PATH}"

    @property
    def login_url(self) -> str:
        """The gateway's sign-in page."""
        return f"{self.gateway_url}/{self.locale}{LOGIN_PATH}"

    @property
    def essentials_url(self) -> str:
        """The URL of the placeholder's content."""
        return f"/{self.locale}{ESSENTIALS_PATH}"

    @property
    def searches(self) -> bool:
        """Return whether the backend searches any list."""
        return bool(offered_lists())

    @property
    def search_url(self) -> str:
        """The search over everything, a page of this app."""
        return f"/{self.locale}{SEARCH_PATH}"

    @property
    def help_url(self) -> str:
        """What keys do, and whom to ask: a page of this app."""
        return f"/{self.locale}{HELP_PATH}"


def part_shell_for(request: PortalRequest) -> PartShell:
    """That of this request, for a part that is the same on each page."""
    platforms = open_platforms(request) if is_signed_in(request) else ()
    return PartShell(locale=active_locale(), gateway_url=portal_config().gateway_url, platforms=platforms)


@lru_cache(maxsize=64)
def project_name(
    project: Project,
    locale: str,  # noqa: ARG001  the key
) -> str:
    """The name that pages show for an app, in the active language `locale`."""
    return gettext(GATEWAY_NAME) if project.platform is None else platform_name(project.platform.name)


def _refused_name(request: PortalRequest, user: EdgeUser | None) -> str:
    """The platform in the cookie of a refusal, if there is such a platform and the user may not open it."""
    name = request.COOKIES.get(REFUSED_PLATFORM)
    if name is None or user is None or name not in PLATFORM_BY_NAME or name in user.platforms:
        return ""
    return platform_name(name)


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
        app_name=project_name(config.project, locale),
        locale=locale,
        pathname=request.META.get(PATHNAME_META, request.path),
        current_path=request.get_full_path(),
        home_url=home_url,
        gateway_url=config.gateway_url,
        signed_in=user is not None,
        has_navigation=platform is None or may_open,
        platforms=open_platforms(request) if user is not None else (),
        account=account_tag_of(user),
        time_zone=active_zone_name(),
        has_chosen_zone=has_chosen_zone(request.COOKIES),
        theme=theme_of(request.COOKIES),
        saved_views=request.COOKIES.get(own_cookie(SAVED_VIEWS), ""),
        table_layout=request.COOKIES.get(own_cookie(TABLE_LAYOUT), ""),
        is_introduced=own_cookie(INTRODUCED) in request.COOKIES,
        refused=_refused_name(request, user),
    )
