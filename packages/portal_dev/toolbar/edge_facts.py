"""The edge's decision on a request that has reached its view: the facts of `explain_route`."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from portal.config.current import portal_config
from portal.edge import RequestContext, explain
from portal.identity import TokenCache, make_verifier

if TYPE_CHECKING:
    from portal.web import PortalRequest


def edge_facts(request: PortalRequest) -> dict[str, Any]:
    """What the edge saw, and the rules that it asked, in their order; the last one decided."""
    tokens = request.token_store.incoming
    access = _tokens().check(tokens.access, now=time.time())
    context = RequestContext.from_request(request, tokens=tokens, site=request.edge_site, access=access)
    seen, steps, decision = explain(context)
    return {"seen": seen, "steps": [step._asdict() for step in steps], "rule": decision.rule}


@cache
def _tokens() -> TokenCache:
    config = portal_config()
    return TokenCache(verifier=make_verifier(config.verification), mapping=config.oidc.mapping, backend=config.backend)
