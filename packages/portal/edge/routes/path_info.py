"""What a path is on a site: its locale, whether it is in normal form, whose route it is. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from portal.config.platforms import PLATFORM_BY_PREFIX
from portal.edge.routes.paths import encode_path, is_malformed, split_locale

if TYPE_CHECKING:
    from portal.config.platforms import Platform
    from portal.edge.routes.site import Site


class Route(NamedTuple):
    """A path, in the words of the contract's table."""

    #: Backslash, control character, `.` or `..` segment.
    malformed: bool
    #: Never gated.
    ungated: bool
    #: In lower case; None where the path has none.
    locale: str | None
    #: The path without its locale.
    rest: str
    #: Locale there and in lower case, single slashes, none at the end.
    normal: bool
    #: The app's root, `/{locale}` or `/{locale}/`.
    root: bool
    #: For those who are signed out.
    public: bool
    #: Neither: for those who are signed in.
    private: bool
    #: The platform whose route this is; only private routes are any platform's.
    platform: Platform | None
    #: Whether that platform is another app's.
    elsewhere: bool
    #: The path as it stands in an address, and that once more as it stands in another address's query.
    encoded: str
    quoted: str


def read_route(site: Site, path: str) -> Route:
    """The route of a decoded path."""
    locale, rest = split_locale(path)
    public = site.public.match(rest) is not None
    private = not public and site.neutral.match(rest) is None
    platform = PLATFORM_BY_PREFIX.get("/" + rest[1:].partition("/")[0]) if private else None
    encoded = encode_path(path)
    return Route(
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
