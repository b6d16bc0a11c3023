"""The pages that the gateway alone has: sign-in and the profile with its sign-ins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

from portal.config.limits import SIGN_IN_TRIES, SIGN_INS_PER_ACCOUNT
from portal.testing import page_of
from portal.web.sign_in import sign_in_limit
from tests.support.every_page.cases import HTMX_ROWS, RELOAD, Case, Visit
from tests.support.every_page.rows import HOSTILE_IDS, HOSTILE_TEXTS, ODD_VALUES, TYPED_TEXT

SIGN_INS = "/iam/auth/sessions"
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Linux; Android 15)",
    "curl/8.5.0",
    "portal",
    "",
)
ROWS = [
    {
        "id": f"ses_{number}",
        "userAgent": agent,
        "current": number == 2,
        "createdAt": "2025-12-31T23:30:00Z",
        "lastUsedAt": "2026-01-01T10:20:30Z",
    }
    for number, agent in enumerate(AGENTS)
]
FORM = {"email": "ada@example.com", "password": "correct horse", "next": ""}


def gateway_cases() -> Iterator[Case]:
    """The gateway's own pages."""
    for name, status, steps in (*_sign_in(), *_profile()):
        yield Case(site="auth_app", name=name, status=status, steps=steps)


def _sign_in() -> Iterator[tuple[str, int, Any]]:
    def opens(**query: str) -> Any:
        return lambda visit: visit.signed_out().at(f"/login?{urlencode(query)}" if query else "/login")

    def sends(**fields: str) -> Any:
        return lambda visit: visit.signed_out().send("/login", FORM | fields)

    yield "sign-in", 200, opens()
    yield "sign-in with next", 200, opens(next="/en/profile?a=b&c=d")
    yield "sign-in with a hostile next", 200, opens(next=TYPED_TEXT)
    yield "sign-in after a lost refresh", 200, opens(reason="refresh-lost", next="/en/profile")
    yield "sign-in with an unknown reason", 200, opens(reason="<b>refresh-lost")
    yield "sign-in, nothing typed", 422, sends(email="", password="", next="/en/profile")
    yield "sign-in, no password", 422, sends(password="")
    yield "sign-in, texts too long", 422, sends(email="x" * 255, password="y" * 1001)
    yield "sign-in, hostile texts", 401, _refused(401, email=TYPED_TEXT[:200], next=TYPED_TEXT)
    yield "sign-in, hostile texts and no password", 422, sends(email='"><x-hostile>', password="", next="' onfocus='")
    yield "sign-in, no such page", 404, lambda visit: visit.signed_out().at("/login/nothing")
    yield "sign-in that expired", 403, lambda visit: visit.signed_out(checks_csrf=True).send("/login", FORM)
    for status, shown in ((401, 401), (422, 401), (418, 401), (409, 409), (501, 503)):
        yield f"sign-in, the backend says {status}", shown, _refused(status)
    yield "sign-in, outage", 503, _outage
    for name, tokens, status in (
        ("without a token", {}, 503),
        ("with a token that is too large", {"accessToken": "x" * 5000}, 502),
        ("with a token that can't be sent", {"accessToken": "a\nb"}, 502),
    ):
        yield f"sign-in, an answer {name}", status, partial(_answered, tokens)
    yield "sign-in, success", 303, _success
    yield "sign-in, too many tries", 429, _too_many_tries
    yield "sign-in, too many successes", 429, _too_many_successes
    yield "signed out", 200, lambda visit: visit.signed_out().at("/signed-out")
    yield "signed out, and signed in again", 200, lambda visit: visit.user().at("/signed-out")
    yield "of a provider that is none", 404, lambda visit: visit.signed_out().at("/login/oidc")


def _refused(status: int, **fields: str) -> Any:
    def steps(visit: Visit) -> None:
        visit.backend.refuses("POST", "/auth/login", status=status, detail="<b>No.</b>")
        visit.signed_out().send("/login", FORM | fields)

    return steps


def _outage(visit: Visit) -> None:
    visit.backend.fails("malformed")
    visit.signed_out().send("/login", FORM | {"next": "/en/profile"})


def _answered(tokens: dict[str, str], visit: Visit) -> None:
    visit.backend.answers("POST", "/auth/login", json=tokens)
    visit.signed_out().send("/login", FORM)


def _success(visit: Visit) -> None:
    made = visit.backend.sign_in("ENERGY_APP")
    visit.backend.answers("POST", "/auth/login", json=made.pair)
    visit.signed_out().send("/login", FORM | {"email": f"{made.account}@example.com"})


def _too_many_tries(visit: Visit) -> None:
    visit.backend.refuses("POST", "/auth/login", status=401)
    browser = visit.signed_out()
    for _ in range(SIGN_IN_TRIES):
        browser.send("/login", FORM)
    visit.responses.clear()
    browser.send("/login", FORM)


def _too_many_successes(visit: Visit) -> None:
    email = f"ada@{visit.address}"
    for _ in range(SIGN_INS_PER_ACCOUNT):
        sign_in_limit().succeeded(email)
    visit.signed_out().send("/login", FORM | {"email": email})


def _profile() -> Iterator[tuple[str, int, Any]]:
    def shows(rows: list[dict[str, Any]], path: str = "/profile", *permissions: str, **who: Any) -> Any:
        def steps(visit: Visit) -> None:
            visit.backend.lists(SIGN_INS, rows)
            visit.user(*(permissions or ("ENERGY_APP",)), **who).at(path)

        return steps

    hostile = [
        *({"id": f"ses_{n}", "userAgent": text, "lastUsedAt": text} for n, text in enumerate(HOSTILE_TEXTS.values())),
        *({"id": row_id, "userAgent": "curl/8"} for row_id in HOSTILE_IDS),
    ]
    odd = [
        {"id": f"ses_{number}", **dict.fromkeys(("userAgent", "current", "createdAt", "lastUsedAt"), value)}
        for number, value in enumerate(ODD_VALUES.values())
    ]
    many = [{"id": f"ses_{number}", "userAgent": AGENTS[number % len(AGENTS)]} for number in range(45)]
    second = f"/profile?{urlencode({'cursor': 'after 20&='})}"
    yield "profile", 200, shows(ROWS)
    yield "profile, one sign-in", 200, shows(ROWS[2:3])
    yield "profile, no sign-in", 200, shows([])
    yield "profile, many sign-ins", 200, shows(many)
    yield "profile, second page", 200, shows(many, second)
    yield "profile, third page", 200, shows(many, f"/profile?{urlencode({'cursor': 'after 40&='})}")
    yield "profile, second page by htmx", 200, _more(many, second)
    yield "profile, last page by htmx", 200, _more(many, f"/profile?{urlencode({'cursor': 'after 40&='})}")
    yield "profile, hostile sign-ins", 200, _hostile(hostile)
    yield "profile, odd sign-ins", 200, shows(odd)
    yield "profile, no platform", 200, shows(ROWS, "/profile", "NONE", permissions=[])
    yield (
        "profile, all platforms",
        200,
        shows(ROWS, "/profile", "ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP", "IAM_ADMIN"),
    )
    yield "profile, hostile permissions", 200, shows(ROWS, permissions=[*HOSTILE_TEXTS.values(), "ENERGY_APP", 7, None])
    yield "profile, odd permissions", 200, shows(ROWS, permissions="ENERGY_APP")
    yield "profile, sign-ins fail", 200, _sign_ins_fail
    yield "profile, sign-ins fail later", 200, _sign_ins_fail_later
    yield "profile, a sign-in ends", 200, _ends
    yield "profile, all sign-ins end", 303, _all_end


def _more(rows: list[dict[str, Any]], path: str) -> Any:
    def steps(visit: Visit) -> None:
        visit.backend.lists(SIGN_INS, rows)
        visit.user().at(path, **HTMX_ROWS)

    return steps


def _hostile(rows: list[dict[str, Any]]) -> Any:
    def steps(visit: Visit) -> None:
        visit.backend.answers("GET", SIGN_INS, json=page_of(rows, next_cursor='"><x-hostile>&'))
        visit.user().at("/profile")

    return steps


def _sign_ins_fail(visit: Visit) -> None:
    visit.backend.fails("malformed", path=SIGN_INS)
    visit.user().at("/profile")


def _sign_ins_fail_later(visit: Visit) -> None:
    visit.backend.lists(SIGN_INS, ROWS)
    browser = visit.user()
    browser.at("/profile")
    visit.backend.fails("malformed", path=SIGN_INS)
    browser.at("/profile", **RELOAD)


def _ends(visit: Visit) -> None:
    visit.backend.lists(SIGN_INS, ROWS)
    visit.backend.answers("DELETE", f"{SIGN_INS}/ses_0", status=204)
    browser = visit.user()
    browser.send("/profile/sign-ins/ses_0/revoke")
    browser.at("/profile")


def _all_end(visit: Visit) -> None:
    visit.backend.lists(SIGN_INS, ROWS[2:3])
    visit.user().send("/profile/sign-ins/revoke")
