"""The pages that the gateway alone has: sign-in and the profile with its sign-ins."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from portal.config.limits import SIGN_IN_TRIES
from portal.testing import page_of
from tests.support.every_page.acts import Act, answers, at, fails, journey, lists, refuses, send, stranger, user
from tests.support.every_page.cases import HTMX_ROWS, RELOAD, Case, Steps, Visit
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


Named = Iterator[tuple[str, int, Steps]]


def _sign_in() -> Named:
    def opens(path: str = "/login", **query: str) -> Steps:
        return journey(at(f"{path}?{urlencode(query)}" if query else path), by=stranger())

    def sends(*told: Act, **fields: str) -> Steps:
        return journey(*told, send("/login", FORM | fields), by=stranger())

    def refused(status: int, **fields: str) -> Steps:
        return sends(refuses("POST", "/auth/login", status=status, detail="<b>No.</b>"), **fields)

    yield "sign-in", 200, opens()
    yield "sign-in with a hostile next", 200, opens(next=TYPED_TEXT)
    yield "sign-in after a lost refresh", 200, opens(reason="refresh-lost", next="/en/profile")
    yield "sign-in, nothing typed", 422, sends(email="", password="", next="/en/profile")
    yield "sign-in, texts too long", 422, sends(email="x" * 255, password="y" * 1001)
    yield "sign-in, hostile texts", 401, refused(401, email=TYPED_TEXT[:200], next=TYPED_TEXT)
    yield "sign-in that expired", 403, journey(send("/login", FORM), by=stranger(checks_csrf=True))
    yield "sign-in, the backend says 422", 502, refused(422)
    yield "sign-in, outage", 503, sends(fails("malformed"), next="/en/profile")
    yield "sign-in, too many tries", 429, _too_many_tries
    yield "signed out", 200, opens("/signed-out")
    yield "signed out, and signed in again", 200, journey(at("/signed-out"))


def _too_many_tries(visit: Visit) -> None:
    visit.backend.refuses("POST", "/auth/login", status=401)
    browser = visit.signed_out()
    for _ in range(SIGN_IN_TRIES):
        browser.send("/login", FORM)
    visit.responses.clear()
    browser.send("/login", FORM)


def _forgotten_password() -> Named:
    def opens(path: str) -> Steps:
        return journey(at(path), by=stranger())

    def answered(path: str, status: int, fields: dict[str, str], **refusal: Any) -> Steps:
        tell = answers if status < 400 else refuses
        told = tell("POST", f"/auth/{path}-password", status=status, **refusal)
        return journey(told, send(f"/login/{path}", fields), by=stranger())

    reset = {"token": "t" * 43, "password": "correct horse"}
    email = {"email": TYPED_TEXT[:200]}
    yield "forgotten password", 200, opens("/login/forgot")
    yield "forgotten password, nothing typed", 422, journey(send("/login/forgot", {}), by=stranger())
    yield "forgotten password, asked for", 200, answered("forgot", 202, email)
    yield "forgotten password, outage", 503, answered("forgot", 503, email)
    yield "new password", 200, opens(f"/login/reset?{urlencode({'token': TYPED_TEXT})}")
    yield "new password without a token", 200, opens("/login/reset")
    yield "new password, spent", 422, answered("reset", 422, reset, errors={"token": ["<b>No.</b>"]})


ACCOUNTS = "/iam/accounts"
#: The account of `visit.user()` is another one.
ACCOUNT_ROWS = [
    {"id": "acc_1", "name": "Ada", "email": "ada@example.com", "permissions": ["ENERGY_APP", "ODD_ONE"], "version": 3},
    {"id": "acc_2", "name": "", "email": "bob@example.com", "permissions": [], "createdAt": "2025-12-31T23:30:00Z"},
    *({"id": f"acc_x{n}", "name": text, "permissions": [text]} for n, text in enumerate(HOSTILE_TEXTS.values())),
]


def _accounts() -> Named:
    row = answers("GET", f"{ACCOUNTS}/acc_1", json=ACCOUNT_ROWS[0])

    def shows(path: str) -> Steps:
        return journey(lists(ACCOUNTS, ACCOUNT_ROWS), row, at(path), by=user("IAM_ADMIN"))

    sent = send("/accounts/acc_1/edit", {"permissions": ["FINANCE_APP", "ODD_ONE"]})
    gives_up = send("/accounts/acc_1/edit", {"permissions": [TYPED_TEXT]})
    refusal = refuses("PATCH", f"{ACCOUNTS}/acc_1", status=422, errors={"permissions": ["<b>No.</b>"]})
    yield "permissions, one's own", 200, journey(row, gives_up, by=user("IAM_ADMIN", id="acc_1"))
    yield "accounts", 200, shows("/accounts")
    yield "account", 200, shows("/accounts/acc_1")
    yield "permissions of an account", 200, shows("/accounts/acc_1/edit")
    yield "permissions, refused", 422, journey(row, refusal, sent, by=user("IAM_ADMIN"))


def _profile() -> Named:
    page = at("/profile")

    def shows(rows: list[dict[str, Any]], *permissions: str, **who: Any) -> Steps:
        return journey(lists(SIGN_INS, rows), page, by=user(*(permissions or ("ENERGY_APP",)), **who))

    refusal = refuses("PATCH", "/me", status=422, errors={"name": ["<b>No.</b>"]})
    ended = answers("DELETE", f"{SIGN_INS}/ses_0", status=204), send("/profile/sign-ins/ses_0/revoke")
    named = send("/profile/name", {"name": TYPED_TEXT[:200]})
    hostile = [
        *(
            {"id": f"ses_{n}", "userAgent": text, "lastUsedAt": text, "place": text, "ipAddress": text}
            for n, text in enumerate(HOSTILE_TEXTS.values())
        ),
        *({"id": row_id, "userAgent": "curl/8"} for row_id in HOSTILE_IDS),
    ]
    fields = ("userAgent", "current", "createdAt", "lastUsedAt", "ipAddress", "place")
    odd = [{"id": f"ses_{number}", **dict.fromkeys(fields, value)} for number, value in enumerate(ODD_VALUES.values())]
    many = [{"id": f"ses_{number}", "userAgent": AGENTS[number % len(AGENTS)]} for number in range(45)]
    second = f"/profile?{urlencode({'cursor': 'after 20&='})}"
    answer = answers("GET", SIGN_INS, json=page_of(hostile, next_cursor='"><x-hostile>&'))
    down = fails("malformed", path=SIGN_INS)
    settings = {"locale": "en", "timeZone": "Asia/Kolkata", "theme": "dark"}
    yield "profile", 200, shows(ROWS)
    yield "profile, no sign-in", 200, shows([])
    yield "profile, many sign-ins", 200, shows(many)
    yield "profile, second page by htmx", 200, journey(lists(SIGN_INS, many), at(second, **HTMX_ROWS))
    yield "profile, hostile sign-ins", 200, journey(answer, page)
    yield "profile, odd sign-ins", 200, shows(odd)
    yield "profile, no platform", 200, shows(ROWS, "NONE", permissions=[])
    yield "profile, hostile permissions", 200, shows(ROWS, permissions=[*HOSTILE_TEXTS.values(), "ENERGY_APP", 7, None])
    yield "profile, sign-ins fail later", 200, journey(lists(SIGN_INS, ROWS), page, down, at("/profile", **RELOAD))
    yield "profile, a sign-in ends", 200, journey(lists(SIGN_INS, ROWS), *ended, page)
    yield "profile, a name that the backend refuses", 422, journey(lists(SIGN_INS, ROWS), refusal, named)
    yield "profile, with settings", 200, journey(lists(SIGN_INS, ROWS), send("/profile/preferences", settings), page)
    yield "signed out everywhere", 200, journey(at("/signed-out?everywhere"), by=stranger())
