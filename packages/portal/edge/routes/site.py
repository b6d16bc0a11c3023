"""An application and its neighbours: route table, origins, home pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORMS, Platform
from portal.config.projects import GATEWAY
from portal.edge.routes.paths import DEBUG_PATHS, LOGIN_PATH, PROFILE_PATH, on_segments
from portal.edge.routes.route_table import BELOW, RouteTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.config.platforms import TPlatform
    from portal.config.projects import Project


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """One application and its neighbours: the input of a decision beside the request.

    Made once for each process, and compared by identity, so that a cache can have it in its key.

    :param platform: the platform that it serves; None for the gateway.
    :param own_origin: `scheme://host[:port]`.
    :param platform_origins: platform to the origin of the app that serves it.
    :param public: matches a path without its locale, as `neutral` does; `ungated` matches a whole path.
    :param homes: locale and platform to the address of that home page, seen from this app.
    :param logins: locale to the gateway's sign-in page.
    :param return_origin: the origin in `next`; empty on the gateway, whose `next` is a path.
    :param absent: platforms whose backend is known to have nothing: they are nobody's home.
    :param next_prefix: the beginning of the sign-in page's query: `?next=` and that origin, encoded.
    """

    platform: Platform | None
    own_origin: str
    gateway_url: str
    platform_origins: Mapping[TPlatform, str]
    debug: bool
    public: re.Pattern[str]
    neutral: re.Pattern[str]
    ungated: re.Pattern[str]
    homes: Mapping[tuple[str, TPlatform | None], str]
    logins: Mapping[str, str]
    return_origin: str
    next_prefix: str
    absent: frozenset[TPlatform] = frozenset()

    @property
    def is_gateway(self) -> bool:
        """Whether this is the gateway, which signs people in."""
        return self.platform is None

    def home_url(self, *, locale: str, platforms: tuple[TPlatform, ...], primary: TPlatform | None) -> str:
        """The default home: this app's own if the user may open it, else the primary platform's.

        Another one takes the place of a platform that is absent; the profile, if none is left.

        :returns: a path if the home is on this app, else an absolute address that goes through the gateway.
        """
        own = self.platform
        if own is not None and own.name in platforms and own.name not in self.absent:
            return self.homes[locale, own.name]
        if primary in self.absent:
            primary = next((each for each in platforms if each not in self.absent), None)
        return self.homes[locale, primary]


def make_site(*, project: Project, origins: Mapping[str, str], routes: RouteTable, debug: bool = False) -> Site:
    """The site of a project with its route table.

    :param origins: project folder to its origin.
    """
    platform = project.platform
    gateway_url = origins[GATEWAY.app]
    return_origin = "" if project.is_gateway else origins[project.app]
    return Site(
        platform=platform,
        own_origin=origins[project.app],
        gateway_url=gateway_url,
        platform_origins={entry.name: origins[entry.app] for entry in PLATFORMS},
        debug=debug,
        public=_pages(routes.public),
        neutral=_pages(routes.neutral),
        ungated=on_segments((*routes.ungated, *(DEBUG_PATHS if debug else ()))),
        homes=_homes(platform, gateway_url),
        logins={locale: f"{gateway_url}/{locale}{LOGIN_PATH}" for locale in LOCALES},
        return_origin=return_origin,
        next_prefix=f"?next={quote(return_origin, safe='')}",
    )


def _pages(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that matches these pages."""
    exact = "|".join(
        f"{re.escape(name.removesuffix(BELOW))}/.*" if name.endswith(BELOW) else re.escape(name) for name in names
    )
    return re.compile(rf"(?:{exact})\Z", re.DOTALL) if names else re.compile(r"(?!)")


def _homes(own: Platform | None, gateway_url: str) -> dict[tuple[str, TPlatform | None], str]:
    homes: dict[tuple[str, TPlatform | None], str] = {}
    for locale in LOCALES:
        homes[locale, None] = f"{'' if own is None else gateway_url}/{locale}{PROFILE_PATH}"
        for platform in PLATFORMS:
            homes[locale, platform.name] = f"{'' if platform == own else gateway_url}/{locale}{platform.prefix}"
    return homes
