"""The route table of an application, as data: what its `proxy.py` says."""

from __future__ import annotations

from dataclasses import dataclass

from portal.edge.routes.paths import NEUTRAL_PATHS, UNGATED_PATHS

#: At the end of a route's name: what lies below it. `/login` is the page alone, `/login/…` is the rest.
BELOW = "/…"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    """What an application's `proxy.py` says about its routes (contract, section 5, "Routes").

    All routes that are not named here are private. Names match on whole segments.

    :param public: below a locale, for those who are signed out.
    :param neutral: below a locale, open to all.
    :param ungated: without a locale, each with all that lies below it; never gated.
    """

    public: tuple[str, ...]
    neutral: tuple[str, ...] = NEUTRAL_PATHS
    ungated: tuple[str, ...] = UNGATED_PATHS
