"""The table of contract, section 5, as a table: each line is a request and what becomes of it.

Columns: app | request (path decoded) | what it brings | what it sends | outcome.

Brings: `out` nothing · `token=…` a valid access token with these platforms (`none`: without any) · `expired=…` ·
`garbage` one that is no token · `unknown-key` one that can't be verified yet · `refresh` a refresh token ·
`cookie=…` the platforms cookie · `role=…` the claim primaryRole.
Outcome: `view of` the x-pathname · status and place, with `↩` before the way back · `hx` the HX-Redirect ·
`varies` by language · `clears` the sign-in cookies.
"""

import pytest

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.edge.rules import RULES, cached_forward, decide
from tests.portal.edge.four_apps import context_for, told

TABLE = r"""
# ---------------------------------------------------------------- row 0: paths that no address has
energy  | GET /en/energy\clients          | out          |        | 400 problem
energy  | GET /healthz/../en/energy       | out          |        | 400 problem
# Dots that are no dot segment.
energy  | GET /en/energy/...              | token=energy |        | view of /en/energy/...
# Encoded twice: decoded once it is a name like any other, and is encoded again where it goes on.
energy  | GET /en/energy/%2e%2e           | token=energy |        | view of /en/energy/%252e%252e
# ---------------------------------------------------------------- row 0: never gated
energy  | GET /static/portal/app.css      | out          |        | not gated
energy  | GET /healthz                    | out          |        | not gated
energy  | POST /locale                    | token=energy |        | not gated
gateway | GET /login/oidc/callback        | out          |        | not gated
# On whole segments, in this case, and without a locale before them.
energy  | GET /staticx                    | out          |        | 307 /en/staticx varies
energy  | GET /login/oidc                 | out          |        | 307 /en/login/oidc varies
energy  | GET /en/static/x                | out          |        | 302 gateway/en/login ↩ energy/en/static/x
# ---------------------------------------------------------------- row 0: OPTIONS
energy  | OPTIONS /en/energy              | out          |        | 204
energy  | OPTIONS *                       | out          |        | 204
# The two rows above it come first.
energy  | OPTIONS /en/../energy           | out          |        | 400 problem
energy  | OPTIONS /healthz                | out          |        | not gated
# ---------------------------------------------------------------- row 1: the normal form
energy  | GET /                           | out          |        | 307 /en varies
energy  | GET /energy/clients?q=x%20y     | token=energy |        | 307 /en/energy/clients?q=x%20y varies
energy  | GET //energy//clients//         | token=energy |        | 307 /en/energy/clients varies
energy  | GET //evil.test/x               | out          |        | 307 /en/evil.test/x varies
energy  | GET /energy/ä b                 | token=energy |        | 307 /en/energy/%C3%A4%20b varies
energy  | POST /energy/clients/new        | token=energy |        | 307 /en/energy/clients/new varies
# The locale: path, cookie, header, default.
energy  | GET /energy                     | token=energy | chose=de asks=tr    | 307 /de/energy varies
energy  | GET /energy                     | token=energy | chose=xx asks=de    | 307 /de/energy varies
energy  | GET /TR/energy                  | token=energy | chose=de asks=de    | 307 /tr/energy
# ---------------------------------------------------------------- row 2: signed out, private
energy  | GET /en/energy                  | out          |        | 302 gateway/en/login ↩ energy/en/energy
energy  | TRACE /en/energy                | out          |        | 303 gateway/en/login
energy  | GET /de/energy/clients?q=a&b=ä  | out          |        | 302 gateway/de/login ↩ energy/de/energy/clients?q=a&b=%E4
gateway | GET /tr/profile                 | out          |        | 302 gateway/tr/login ↩ /tr/profile
energy  | GET /en                         | out          |        | 302 gateway/en/login
energy  | HEAD /en/energy                 | out          |        | 302 gateway/en/login ↩ energy/en/energy
energy  | POST /en/energy/clients/new     | out          |        | 303 gateway/en/login
energy  | POST /de/energy/clients/new     | out          | from=energy/en/energy/clients/new | 303 gateway/de/login ↩ energy/en/energy/clients/new
energy  | POST /en/energy/clients/new     | out          | from=https://evil.test/en/energy | 303 gateway/en/login
energy  | POST /en/energy/clients/new     | out          | from=energy/en/signed-out | 303 gateway/en/login
energy  | GET /en/energy                  | out          | from=energy/en/energy/clients | 302 gateway/en/login ↩ energy/en/energy
# A file is no page to come back to.
energy  | GET /en/energy/clients/export?q=x | out        |        | 302 gateway/en/login ↩ energy/en/energy/clients?q=x
energy  | GET /en/energy                  | unknown-key  |        | 302 gateway/en/login ↩ energy/en/energy
# Not a page navigation.
energy  | GET /en/energy                  | out          | fetch  | 401 problem
energy  | GET /en/energy                  | out          | htmx   | 401 problem hx gateway/en/login
energy  | GET /de/energy                  | out          | htmx on=energy/de/energy/clients?q=x | 401 problem hx gateway/de/login ↩ energy/de/energy/clients?q=x
energy  | GET /en/energy                  | out          | htmx on=https://evil.test/en/energy | 401 problem hx gateway/en/login
gateway | GET /en/profile                 | out          | htmx on=energy/en/energy     | 401 problem hx gateway/en/login
# ---------------------------------------------------------------- row 3: signed in, public route or root
energy  | GET /en                         | token=energy |        | 302 /en/energy
energy  | GET /de/login                   | token=energy |        | 302 /de/energy
gateway | GET /en/login                   | token=energy |        | 302 gateway/en/energy
gateway | GET /en                         | token=none   |        | 302 /en/profile
gateway | GET /en                         | refresh cookie=finance |  | 302 gateway/en/finance
gateway | GET /en                         | token=energy,finance role=finance | | 302 gateway/en/finance
finance | GET /en                         | token=energy,finance |    | 302 /en/finance
finance | GET /tr                         | token=none cookie=finance | | 302 /tr/finance
gateway | GET /en                         | token=none role=finance cookie=energy,finance | | 302 gateway/en/finance
gateway | POST /en/login                  | token=energy |        | view of /en/login
gateway | GET /en/login                   | token=energy | htmx   | 403 problem hx gateway/en/energy
gateway | GET /en/login-history           | token=energy |        | view of /en/login-history
# ---------------------------------------------------------------- row 4: platform not allowed
energy  | GET /en/energy                  | token=finance |       | 302 gateway/en/finance
energy  | GET /en/finance                 | token=energy |        | 302 /en/energy
energy  | GET /en/energy                  | token=none   |        | 302 gateway/en/profile
gateway | GET /en/energy                  | token=none   |        | 302 /en/profile
energy  | POST /en/energy                 | token=finance |       | 403 page
energy  | GET /en/energy                  | token=finance | fetch | 403 problem
energy  | GET /en/energy                  | token=finance | htmx  | 403 problem hx gateway/en/finance
energy  | GET /en/energy                  | token=none cookie=energy | | view of /en/energy
energy  | GET /en/energy                  | expired=energy refresh | | view of /en/energy
energy  | GET /en/energy                  | garbage refresh cookie=energy | | view of /en/energy
energy  | GET /en/energy-market           | token=none   |        | view of /en/energy-market
energy  | GET /en/Energy                  | token=finance |       | view of /en/Energy
# ---------------------------------------------------------------- row 4: another app serves it
gateway | GET /en/energy                  | token=energy |        | 302 energy/en/energy
gateway | GET /de/finance/invoices?a=1&b=%2F | token=finance |    | 302 finance/de/finance/invoices?a=1&b=%2F
gateway | POST /en/energy                 | token=energy |        | 404 page
gateway | GET /en/energy                  | token=energy | fetch  | 404 problem
energy  | GET /en/finance                 | token=energy,finance | | 302 gateway/en/finance
# ---------------------------------------------------------------- row 5: forwarded
energy  | GET /en/energy                  | token=energy |        | view of /en/energy
energy  | GET /en/energy/ä                | token=energy |        | view of /en/energy/%C3%A4
gateway | GET /en/profile                 | token=none   |        | view of /en/profile
gateway | GET /en/login                   | out          |        | view of /en/login
gateway | GET /en/login/oidc              | out          |        | view of /en/login/oidc
energy  | GET /en/logout                  | out          |        | view of /en/logout
energy  | GET /en/essentials              | token=none   | fetch  | view of /en/essentials
# The view of a platform app's sign-in page leads to the gateway's.
energy  | GET /de/login                   | out          |        | view of /de/login
energy  | GET /en/login                   | garbage      |        | view of /en/login clears
# ---------------------------------------------------------------- a dead sign-in is cleared in rows 1 to 5
energy  | GET /energy                     | garbage      |        | 307 /en/energy varies clears
energy  | GET /en/energy                  | expired=energy |      | 302 gateway/en/login ↩ energy/en/energy clears
energy  | GET /en/energy                  | expired=energy | htmx | 401 problem hx gateway/en/login clears
energy  | GET /en/essentials              | expired=none | fetch  | view of /en/essentials clears
# Not while it may be good yet, nor where row 0 has decided.
energy  | GET /energy                     | garbage refresh |     | 307 /en/energy varies
energy  | GET /en/logout                  | expired=energy refresh | | view of /en/logout
energy  | GET /sign-in-state              | garbage      |        | not gated
"""

CASES = [
    tuple(cell.strip() for cell in line.split(" |")) for line in TABLE.splitlines() if line and not line.startswith("#")
]


@pytest.mark.parametrize(
    ("app", "request_line", "brings", "sends", "outcome"), CASES, ids=[" | ".join(case) for case in CASES]
)
def test_the_table(app: str, request_line: str, brings: str, sends: str, outcome: str) -> None:
    context = context_for(app, request_line, brings, sends)
    assert told(decide(context)) == outcome
    # What is kept is the same decision: of each view that is forwarded, and of nothing else.
    kept = cached_forward(
        context.site,
        context.path,
        context.method,
        context.access,
        context.refreshable,
        context.cookies.get(VAR_PERMITTED_PLATFORMS),
    )
    assert kept == (decide(context) if outcome.startswith("view of") else None)


def test_every_rule_decides_some_line_of_the_table() -> None:
    decided = {decide(context_for(*case[:4])).rule for case in CASES}
    assert {rule.name for rule in RULES} - {"4-elsewhere"} | {"4-to-platform", "4-to-gateway"} == decided


def test_no_line_stands_twice() -> None:
    assert len({case[:4] for case in CASES}) == len(CASES) > 80
