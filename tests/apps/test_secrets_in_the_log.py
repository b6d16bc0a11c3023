"""No line of the log holds a token, a password, an address, or anything of a row: at DEBUG, as text and as JSON.

Pages of the real projects, that succeed and that fail in every way a page can; then all that was written is searched
for all that went through them.
"""

import json
import logging
from collections.abc import Iterator

import pytest
from django.test import Client, override_settings

from portal.config.cookies import VAR_REFRESH_TOKEN
from portal.config.log_lines import LOG_FORMATS, line_formatter
from portal.telemetry.audit import JsonLine
from portal.testing import Backend, SignedIn, access_token

CLIENTS, SESSIONS = "/energy/clients", "/energy/sessions"
SECRETS = {
    "a row's name": "Zebulon Quartermaine",
    "a row's address": "zebulon.q@private.example",
    "a row's telephone": "+49 30 5550173",
    "the user's name": "Wilhelmina Featherstonehaugh",
    "the user's address": "wilhelmina@private.example",
    "a word that was searched for": "quizzical-search",
    "the right password": "correct-horse-battery-staple",
    "a wrong password": "wrong-horse-battery-staple",
    "an address that nobody has": "nobody@private.example",
}
ROW = {
    "id": "cli_1",
    "name": SECRETS["a row's name"],
    "email": SECRETS["a row's address"],
    "phone": SECRETS["a row's telephone"],
    "city": "",
    "createdAt": "2026-01-02T03:04:05Z",
}
FORM = {name: ROW[name] for name in ("name", "email", "phone", "city")}
#: As a backend may put it: with all that it was sent.
WORDS = " ".join(SECRETS.values())
USER = {"name": SECRETS["the user's name"], "email": SECRETS["the user's address"]}


class Log(logging.Handler):
    """All that is written, in both forms.

    :ivar audited: the lines of the audit log; they are among the lines too.
    :ivar browsers: whose tokens no line may hold.
    """

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.audited: list[dict[str, str]] = []
        self.browsers: list[Client] = []
        self._seen: set[str] = set()
        self._backend = backend
        self._formatters = [line_formatter(app="energy", log_format=log_format) for log_format in LOG_FORMATS]
        self._audit = JsonLine(app="energy")

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "portal.audit":
            line = self._audit.format(record)
            self.lines.append(line)
            self.audited.append(json.loads(line))
        else:
            self.lines += [formatter.format(record) for formatter in self._formatters]

    def assert_audited(self, *events: str) -> None:
        """These events, each with its outcome, and no others."""
        assert [f"{line['event']} {line['outcome']}" for line in self.audited] == list(events)

    def remember_tokens(self) -> None:
        """Every token that went over the wire or lies in a cookie: whole, and its signature alone."""
        for call in self._backend.calls:
            self._seen.add(call.headers.get("authorization", "").removeprefix("Bearer "))
            self._seen.add(str((call.body or {}).get("refreshToken", "")))
        for browser in self.browsers:
            self._seen |= {morsel.value for name, morsel in browser.cookies.items() if name.endswith("_TOKEN")}

    def assert_holds_no_secret(self, *more: str) -> None:
        assert self.lines
        self.remember_tokens()
        tokens = {*self._seen, *more} - {""}
        for secret in {*SECRETS.values(), *tokens, *(token.rpartition(".")[2] for token in tokens)}:
            # JSON writes what is not ASCII otherwise; so it is looked for as that, too.
            for spelling in {secret, json.dumps(secret)[1:-1], secret.split(" ")[0], secret.split("@")[0]}:
                assert not [line for line in self.lines if spelling in line], spelling


@pytest.fixture
def log(backend: Backend) -> Iterator[Log]:
    """Also with the lists of the pages."""
    backend.lists(CLIENTS, [ROW])
    backend.lists(SESSIONS, [])
    handler, ours = Log(backend), [logging.getLogger(name) for name in ("portal", "apps")]
    levels = [logger.level for logger in ours]
    listened = [logging.getLogger(), logging.getLogger("portal.audit")]
    for logger in listened:
        logger.addHandler(handler)
    for logger in ours:
        logger.setLevel(logging.DEBUG)
    yield handler
    for logger in listened:
        logger.removeHandler(handler)
    for logger, level in zip(ours, levels, strict=True):
        logger.setLevel(level)


@pytest.mark.parametrize("app", ["energy"])
class TestOfAPlatform:
    @pytest.fixture
    def browser(self, log: Log, signed_in: SignedIn) -> Client:
        log.browsers.append(signed_in("ENERGY_APP", **USER))
        return log.browsers[0]

    def test_pages_that_succeed(self, log: Log, backend: Backend, browser: Client) -> None:
        backend.answers("POST", CLIENTS, json=ROW, status=201)
        backend.answers("PATCH", f"{CLIENTS}/cli_1", json=ROW)
        backend.answers("DELETE", f"{CLIENTS}/cli_1", status=204)
        search = SECRETS["a word that was searched for"]
        for path in ("clients", f"clients?q={search}", "clients/cli_1", "clients/cli_1/edit"):
            assert browser.get(f"/en/energy/{path}").status_code == 200
        for path in ("clients/new", "clients/cli_1/edit", "clients/cli_1/delete"):
            sent = FORM | {"createAnyway": FORM["email"]}
            assert browser.post(f"/en/energy/{path}", sent).status_code == 303
        assert browser.get("/en/energy/nothing").status_code == 404, "Django writes a line"
        log.assert_holds_no_secret()

    @pytest.mark.parametrize("status", [401, 404, 409, 412, 422, 503])
    def test_refused_calls(self, log: Log, backend: Backend, browser: Client, status: int) -> None:
        assert browser.get("/en/energy/clients/cli_1").status_code == 200
        for method in ("GET", "POST", "PATCH", "DELETE"):
            for path in (CLIENTS, f"{CLIENTS}/cli_1"):
                backend.refuses(method, path, status=status, detail=WORDS, errors={"name": [WORDS], "odd": [WORDS]})
        pages = [browser.get(f"/en/energy/clients?q={WORDS}"), browser.get("/en/energy/clients/cli_1")]
        pages += [browser.post(f"/en/energy/clients/{path}", FORM) for path in ("new", "cli_1/edit", "cli_1/delete")]
        assert {page.status_code for page in pages} - {200, 303}
        log.assert_holds_no_secret()

    @pytest.mark.parametrize("fault", ["malformed", "html", "refused", "timeout"])
    def test_calls_that_get_no_usable_answer(self, log: Log, backend: Backend, browser: Client, fault: str) -> None:
        backend.fails(fault)
        assert browser.get(f"/en/energy/clients?q={WORDS}").status_code == 503
        assert browser.post("/en/energy/clients/new", FORM).status_code == 503
        log.assert_holds_no_secret()

    def test_refreshes(self, log: Log, backend: Backend, signed_in: SignedIn) -> None:
        log.browsers += [signed_in("ENERGY_APP", expired=True, **USER) for _ in range(3)]
        fine, refused, unanswered = log.browsers
        log.remember_tokens()
        assert fine.get("/en/energy/clients").status_code == 200
        backend.fails(401, path="/refresh")
        assert refused.get("/en/energy/clients").status_code == 302
        backend.fails("timeout", path="/refresh")
        assert unanswered.get("/en/energy/clients").status_code in {302, 303, 503}
        assert fine.post("/en/logout").status_code == 303
        log.assert_audited("refresh failure", "sign-out success")
        log.assert_holds_no_secret()

    def test_a_store_that_is_down(self, log: Log, signed_in: SignedIn) -> None:
        browser = signed_in("ENERGY_APP", expired=True, **USER)
        log.browsers.append(browser)
        entry = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://user:a-password-of-redis@127.0.0.1:1/0",
            "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
        }
        with override_settings(CACHES={"default": entry, "refresh": entry}):
            assert browser.get(f"/en/energy/clients?q={WORDS}").status_code == 503
        log.assert_holds_no_secret("a-password-of-redis")

    def test_error_of_ours(self, log: Log, backend: Backend, browser: Client) -> None:
        browser.raise_request_exception = False
        backend.answers("POST", CLIENTS, json=ROW, status=201)
        with override_settings(ROOT_URLCONF="tests.support.mistaken_urls"):
            for path in ("in-view", "in-template", "in-callback"):
                assert browser.post(f"/en/energy/{path}?q={WORDS}", FORM).status_code == 500
        assert any("Traceback" in line for line in log.lines)
        # The slip itself writes a name and an address into its code, and a traceback shows code.
        log.assert_holds_no_secret()

    def test_an_app_that_logs_the_tokens(self, log: Log, browser: Client) -> None:
        browser.cookies[VAR_REFRESH_TOKEN] = refresh = "an-opaque-refresh-token"
        browser.raise_request_exception = False
        with override_settings(ROOT_URLCONF="tests.support.mistaken_urls"):
            assert browser.get("/en/energy/in-log").status_code == 500
        assert any("access token [token]" in line for line in log.lines)
        log.assert_holds_no_secret(refresh)


@pytest.mark.parametrize("app", ["auth_app"])
class TestOfTheGateway:
    def sign_in(self, browser: Client, *, right: bool = True) -> int:
        email = SECRETS["the user's address"] if right else SECRETS["an address that nobody has"]
        password = SECRETS["the right password" if right else "a wrong password"]
        return browser.post("/en/login", {"email": email, "password": password, "next": ""}).status_code

    def test_right_and_wrong_passwords(self, log: Log, backend: Backend, signed_out: Client) -> None:
        log.browsers.append(signed_out)
        backend.refuses("POST", "/auth/login", status=401, detail=WORDS)
        assert [self.sign_in(signed_out, right=False) for _ in range(11)] == [401] * 10 + [429]
        made = backend.sign_in("ENERGY_APP", **USER)
        backend.answers("POST", "/auth/login", json=made.pair)
        assert self.sign_in(signed_out) == 303
        backend.lists("/iam/auth/sessions", [{"id": "s1", "current": True, "userAgent": WORDS}])
        assert signed_out.get("/en/profile").status_code == 200
        assert signed_out.post("/en/logout").status_code == 303
        log.assert_audited(*["sign-in failure"] * 10, "sign-in throttled", "sign-in success", "sign-out success")
        log.assert_holds_no_secret(made.access, made.refresh)

    @pytest.mark.parametrize("status", [401, 403, 422, 503])
    def test_repeating_backend(self, log: Log, backend: Backend, signed_out: Client, status: int) -> None:
        backend.refuses("POST", "/auth/login", status=status, detail=WORDS, errors={"password": [WORDS]})
        assert self.sign_in(signed_out) >= 400
        log.assert_holds_no_secret()

    def test_tokens_that_cannot_be_kept(self, log: Log, backend: Backend, signed_out: Client) -> None:
        large = access_token("acc_1", "ENERGY_APP", padding="x" * 5000)
        for pair in ({"accessToken": large}, {"accessToken": "unsendable-\u0442"}, {}):
            backend.answers("POST", "/auth/login", json=pair | {"refreshToken": "refresh-of-these"})
            assert self.sign_in(signed_out) in {502, 503}
        log.assert_audited(*["sign-in failure"] * 3)
        assert self.sign_in(Client(headers={"accept": "text/html"}, enforce_csrf_checks=True)) == 403
        log.assert_holds_no_secret(large, "unsendable-")
