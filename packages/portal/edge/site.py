"""An application and its neighbours: route table, origins, home pages; and what a path is on such a site."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
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


class Site:
    """One application and its neighbours: the input of a decision beside the request.

    Made once for each process, and compared by identity, so that a cache can have it in its key.

    :param origins: project folder to its origin (`scheme://host[:port]`).
    :param absent: platforms of which the backend offers nothing: they are nobody's home.
    :ivar platform: the platform that it serves; None for the gateway.
    :ivar platform_origins: platform to the origin of the app that serves it.
    :ivar public: matches a path without its locale, as `neutral` does; `ungated` matches a whole path.
    :ivar homes: locale and platform to the address of that home page, seen from this app.
    :ivar logins: locale to the gateway's sign-in page.
    :ivar return_origin: the origin in `next`; empty on the gateway, whose `next` is a path.
    :ivar next_prefix: the beginning of the sign-in page's query: `?next=` and that origin, encoded.
    """

    def __init__(
        self,
        *,
        project: Project,
        origins: Mapping[str, str],
        routes: RouteTable,
        debug: bool = False,
        absent: frozenset[TPlatform] = frozenset(),
    ) -> None:
        self.platform = project.platform
        self.own_origin = origins[project.app]
        self.gateway_url = origins[GATEWAY.app]
        self.platform_origins = {entry.name: origins[entry.app] for entry in PLATFORMS}
        self.debug = debug
        self.absent = absent
        self.public = _pages(routes.public)
        self.neutral = _pages(routes.neutral)
        self.ungated = on_segments((*routes.ungated, *(DEBUG_PATHS if debug else ())))
        self.homes = _homes(project.platform, self.gateway_url)
        self.logins = {locale: f"{self.gateway_url}/{locale}{LOGIN_PATH}" for locale in LOCALES}
        self.return_origin = "" if project.is_gateway else self.own_origin
        self.next_prefix = f"?next={quote(self.return_origin, safe='')}"

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


class PathInfo:
    """A decoded path in the words of the contract's table."""

    def __init__(self, site: Site, path: str) -> None:
        #: The locale in lower case, None where the path has none; and the path without it.
        self.locale, self.rest = locale, rest = split_locale(path)
        #: Backslash, control character, `.` or `..` segment.
        self.malformed = is_malformed(path)
        #: Never gated.
        self.ungated = site.ungated.match(path) is not None
        #: With a locale in lower case, single slashes, and no slash at the end.
        self.normal = (
            locale is not None
            and path.startswith(locale, 1)
            and "//" not in rest
            and (rest == "/" or not rest.endswith("/"))
        )
        #: The app's root, `/{locale}` or `/{locale}/`.
        self.root = rest in {"", "/"}
        #: For signed-out visitors.
        self.public = site.public.match(rest) is not None
        #: For signed-in users: neither public nor neutral.
        self.private = not self.public and site.neutral.match(rest) is None
        #: The platform of the route; None on public and neutral routes, and on routes of no platform.
        self.platform = PLATFORM_BY_PREFIX.get("/" + rest[1:].partition("/")[0]) if self.private else None
        #: Another app serves that platform.
        self.elsewhere = self.platform is not None and self.platform != site.platform
        #: Percent-encoded for an address, and `quoted` percent-encoded again for a query.
        self.encoded = encode_path(path)
        self.quoted = quote(self.encoded, safe="")
