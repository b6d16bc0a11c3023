"""An application and its neighbours: route table, origins, home pages; and what a path is on such a site."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORM_BY_PREFIX, PLATFORMS, Platform, TPlatform
from portal.config.projects import GATEWAY, Project
from portal.edge.paths import (
    DEBUG_PATHS,
    LOGIN_PATH,
    NEUTRAL_PATHS,
    PROFILE_PATH,
    UNGATED_PATHS,
    encode_path,
    is_malformed,
    on_segments,
    split_locale,
)

#: At the end of a name: all paths below it. `/login` is that page alone, `/login/…` is every page below it.
BELOW = "/…"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    """The routes of an application (contract, section 5, "Routes"). A route that is not named here is private.

    Names match on whole segments.

    :param public: below a locale, for signed-out visitors.
    :param neutral: below a locale, open to all.
    :param ungated: without a locale, each with all paths below it; never gated.
    """

    public: tuple[str, ...]
    neutral: tuple[str, ...] = NEUTRAL_PATHS
    ungated: tuple[str, ...] = UNGATED_PATHS


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
    :param absent: platforms of which the backend offers nothing: they are nobody's home.
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


def make_site(
    *,
    project: Project,
    origins: Mapping[str, str],
    routes: RouteTable,
    debug: bool = False,
    absent: frozenset[TPlatform] = frozenset(),
) -> Site:
    """The site of a project with its route table.

    :param origins: project folder to its origin.
    :param absent: platforms of which the backend offers nothing.
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
        absent=absent,
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


class PathInfo(NamedTuple):
    """A path in the words of the contract's table."""

    #: Backslash, control character, `.` or `..` segment.
    malformed: bool
    #: Never gated.
    ungated: bool
    #: In lower case; None where the path has none.
    locale: str | None
    #: The path without its locale.
    rest: str
    #: With a locale in lower case, single slashes, and no slash at the end.
    normal: bool
    #: The app's root, `/{locale}` or `/{locale}/`.
    root: bool
    #: For signed-out visitors.
    public: bool
    #: For signed-in users: neither public nor neutral.
    private: bool
    #: The platform of the route; None on public and neutral routes, and on routes of no platform.
    platform: Platform | None
    #: Another app serves that platform.
    elsewhere: bool
    #: Percent-encoded for an address, and `encoded` percent-encoded again for a query.
    encoded: str
    quoted: str


def read_path_info(site: Site, path: str) -> PathInfo:
    """The properties of a decoded path."""
    locale, rest = split_locale(path)
    public = site.public.match(rest) is not None
    private = not public and site.neutral.match(rest) is None
    platform = PLATFORM_BY_PREFIX.get("/" + rest[1:].partition("/")[0]) if private else None
    encoded = encode_path(path)
    return PathInfo(
        malformed=is_malformed(path),
        ungated=site.ungated.match(path) is not None,
        locale=locale,
        rest=rest,
        normal=locale is not None
        and path.startswith(locale, 1)
        and "//" not in rest
        and (rest == "/" or not rest.endswith("/")),
        root=rest in {"", "/"},
        public=public,
        private=private,
        platform=platform,
        elsewhere=platform is not None and platform != site.platform,
        encoded=encoded,
        quoted=quote(encoded, safe=""),
    )
