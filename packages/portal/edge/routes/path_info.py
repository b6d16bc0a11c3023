"""The properties of a path on a site: locale, normal form, public or private, platform. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from portal.config.platforms import PLATFORM_BY_PREFIX
from portal.edge.routes.paths import encode_path, is_malformed, split_locale

if TYPE_CHECKING:
    from portal.config.platforms import Platform
    from portal.edge.routes.site import Site


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
