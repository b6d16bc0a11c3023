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
        "ipAddress": "203.0.113.7" if number else "",
        "place": "Köln" if number == 1 else None,
    }
    for number, agent in enumerate(AGENTS)
]
FORM = {"email": "ada@example.com", "password": "correct horse", "next": ""}


def gateway_cases() -> Iterator[Case]:
    """The gateway's own pages."""
    for name, status, steps in (*_sign_in(), *_forgotten_password(), *_profile(), *_accounts()):
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
    for status, shown in ((401, 401), (422, 502), (418, 502), (409, 502), (501, 503)):
        yield f"sign-in, the backend says {status}", shown, _refused(status)
    yield "sign-in, outage", 503, _outage
    for name, tokens, status in (
        ("without a token", {}, 502),
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


def _forgotten_password() -> Iterator[tuple[str, int, Any]]:
    def answered(path: str, status: int, fields: dict[str, str], **answer: Any) -> Any:
        def steps(visit: Visit) -> None:
            if status < 400:
                visit.backend.answers("POST", f"/auth/{path}-password", status=status)
            else:
                visit.backend.refuses("POST", f"/auth/{path}-password", status=status, **answer)
            visit.signed_out().send(f"/login/{path}", fields)

        return steps

    reset = {"token": "t" * 43, "password": "correct horse"}
    email = {"email": TYPED_TEXT[:200]}
    yield "forgotten password", 200, lambda visit: visit.signed_out().at("/login/forgot")
    yield "forgotten password, nothing typed", 422, lambda visit: visit.signed_out().send("/login/forgot", {})
    yield "forgotten password, asked for", 200, answered("forgot", 202, email)
    yield "forgotten password, refused", 200, answered("forgot", 422, email)
    yield "forgotten password, outage", 503, answered("forgot", 503, email)
    yield "new password", 200, lambda visit: visit.signed_out().at(f"/login/reset?{urlencode({'token': TYPED_TEXT})}")
    yield "new password without a token", 200, lambda visit: visit.signed_out().at("/login/reset")
    yield "new password, too short", 422, answered("reset", 204, reset | {"password": "x"})
    yield "new password, done", 303, answered("reset", 204, reset)
    yield "new password, spent", 422, answered("reset", 422, reset, errors={"token": ["<b>No.</b>"]})
    yield "new password, refused", 422, answered("reset", 422, reset, errors={"password": ["<b>Too common.</b>"]})
    yield "new password, outage", 503, answered("reset", 503, reset)


ACCOUNTS = "/iam/accounts"
#: The account of `visit.user()` is another one.
ACCOUNT_ROWS = [
    {"id": "acc_1", "name": "Ada", "email": "ada@example.com", "permissions": ["ENERGY_APP", "ODD_ONE"], "version": 3},
    {"id": "acc_2", "name": "", "email": "bob@example.com", "permissions": [], "createdAt": "2025-12-31T23:30:00Z"},
    *({"id": f"acc_x{n}", "name": text, "permissions": [text]} for n, text in enumerate(HOSTILE_TEXTS.values())),
]


def _accounts() -> Iterator[tuple[str, int, Any]]:
    def shows(path: str, *permissions: str) -> Any:
        def steps(visit: Visit) -> None:
            visit.backend.lists(ACCOUNTS, ACCOUNT_ROWS)
            visit.backend.answers("GET", f"{ACCOUNTS}/acc_1", json=ACCOUNT_ROWS[0])
            visit.user(*(permissions or ("IAM_ADMIN",))).at(path)

        return steps

    def saves(status: int, **answer: Any) -> Any:
        def steps(visit: Visit) -> None:
            visit.backend.answers("GET", f"{ACCOUNTS}/acc_1", json=ACCOUNT_ROWS[0])
            if status < 400:
                visit.backend.answers("PATCH", f"{ACCOUNTS}/acc_1", json=ACCOUNT_ROWS[0])
            else:
                visit.backend.refuses("PATCH", f"{ACCOUNTS}/acc_1", status=status, **answer)
            visit.user("IAM_ADMIN").send("/accounts/acc_1/edit", {"permissions": ["FINANCE_APP", "ODD_ONE"]})

        return steps

    def gives_up(visit: Visit) -> None:
        visit.backend.answers("GET", f"{ACCOUNTS}/acc_1", json=ACCOUNT_ROWS[0])
        visit.user("IAM_ADMIN", id="acc_1").send("/accounts/acc_1/edit", {"permissions": [TYPED_TEXT]})

    yield "permissions, one's own", 200, gives_up
    yield "accounts", 200, shows("/accounts")
    yield "accounts, found", 200, shows("/accounts?q=ada")
    yield "accounts, for nobody else", 403, shows("/accounts", "ENERGY_APP")
    yield "account", 200, shows("/accounts/acc_1")
    yield "account, for nobody else", 403, shows("/accounts/acc_1", "ENERGY_APP")
    yield "permissions of an account", 200, shows("/accounts/acc_1/edit")
    yield "permissions, saved", 303, saves(200)
    yield "permissions, refused", 422, saves(422, errors={"permissions": ["<b>No.</b>"]})


def _profile() -> Iterator[tuple[str, int, Any]]:
    def shows(rows: list[dict[str, Any]], path: str = "/profile", *permissions: str, **who: Any) -> Any:
        def steps(visit: Visit) -> None:
            visit.backend.lists(SIGN_INS, rows)
            visit.user(*(permissions or ("ENERGY_APP",)), **who).at(path)

        return steps

    hostile = [
        *(
            {"id": f"ses_{n}", "userAgent": text, "lastUsedAt": text, "place": text, "ipAddress": text}
            for n, text in enumerate(HOSTILE_TEXTS.values())
        ),
        *({"id": row_id, "userAgent": "curl/8"} for row_id in HOSTILE_IDS),
    ]
    odd = [
        {
            "id": f"ses_{number}",
            **dict.fromkeys(("userAgent", "current", "createdAt", "lastUsedAt", "ipAddress", "place"), value),
        }
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
    yield "profile, all others end", 200, _others_end
    yield "profile, a new name", 303, _named(200, {"name": "Ada"})
    yield "profile, no name", 422, _named(200, {"name": " "})
    yield "profile, a name that the backend refuses", 422, _named(422, {"name": TYPED_TEXT[:200]})
    yield "profile, a name in an outage", 422, _named(503, {"name": "Ada"})
    yield "profile, settings", 303, _settings(timeZone="Asia/Kolkata", theme="dark")
    yield "profile, hostile settings", 303, _settings(timeZone="../../etc/passwd", theme=TYPED_TEXT)
    yield "profile, with settings", 200, _with_settings
    yield "signed out everywhere", 200, lambda visit: visit.signed_out().at("/signed-out?everywhere")


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


def _others_end(visit: Visit) -> None:
    visit.backend.lists(SIGN_INS, ROWS[1:3])
    visit.backend.answers("DELETE", f"{SIGN_INS}/ses_1", status=204)
    browser = visit.user()
    browser.send("/profile/sign-ins/revoke-others")
    browser.at("/profile")


def _named(status: int, fields: dict[str, str]) -> Any:
    def steps(visit: Visit) -> None:
        visit.backend.lists(SIGN_INS, ROWS)
        browser = visit.user()
        if status < 400:
            visit.backend.answers("PATCH", "/me", json={"id": "acc_1", **fields})
        else:
            visit.backend.refuses("PATCH", "/me", status=status, errors={"name": ["<b>No.</b>"]})
        browser.send("/profile/name", fields)

    return steps


def _settings(**fields: str) -> Any:
    return lambda visit: visit.user().send("/profile/preferences", fields)


def _with_settings(visit: Visit) -> None:
    visit.backend.lists(SIGN_INS, ROWS)
    browser = visit.user()
    browser.send("/profile/preferences", {"locale": "en", "timeZone": "Asia/Kolkata", "theme": "dark"})
    browser.at("/profile")
