"""The route table of an application, which its `proxy.py` declares."""

from __future__ import annotations

from dataclasses import dataclass

from portal.edge.routes.paths import NEUTRAL_PATHS, UNGATED_PATHS

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
