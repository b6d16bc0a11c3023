"""`sign_out_user` beside real servers: an operator ends all sign-ins of one person."""

import io
import json
import os
import time
from contextlib import ExitStack

from django.core.management import call_command

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.identity import get_user_from_token
from tests.support.command_line import Ended, run_command
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser

EMAIL, OTHER = "all@example.com", "energy@example.com"


def command(stack: RunningStack, *words: str, status: int | None = None) -> Ended:
    """In the environment of the running servers."""
    return run_command(*words, app="auth_app", status=status, **stack.variables)


def test_all_sign_ins_of_one_user_end_everywhere_and_nobody_elses(stack: RunningStack) -> None:
    with ExitStack() as open_browsers:
        first, second, idle, other = (open_browsers.enter_context(HttpBrowser()) for _ in range(4))
        for browser, email in ((first, EMAIL), (second, EMAIL), (idle, EMAIL), (other, OTHER)):
            assert browser.sign_in(stack.url("auth_app"), email=email).status_code == 303
            assert browser.get(stack.url("energy", "/en/energy/clients"), follow=False).status_code == 200
        access, refresh = first.cookie(VAR_ACCESS_TOKEN), first.cookie(VAR_REFRESH_TOKEN)
        user = get_user_from_token(access).subject

        done = command(stack, "sign_out_user", user, "--by", "ticket 4711", "--json", status=0)
        assert done.data["user"] == user
        (line,) = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
        assert (line["event"], line["by"], line["outcome"]) == ("sign-out-by-operator", "ticket 4711", "success")
        assert access not in done.out + done.err

        for browser, app, path in ((first, "operations", "/en/operations"), (second, "energy", "/en/energy/clients")):
            answer = browser.get(stack.url(app, path), follow=False)
            assert (answer.status_code, answer.headers["Location"]) == (302, "/")
            assert browser.cookie(VAR_REFRESH_TOKEN) is None
        assert other.get(stack.url("energy", "/en/energy/clients"), follow=False).status_code == 200
        backend = first.http.post(f"{stack.backend}/refresh", json={"refreshToken": refresh}, timeout=20)
        assert backend.status_code == 401, "the portal has revoked it at the backend"

        # One of them has not come back since.
        again = command(stack, "sign_out_user", user, "--json")
        assert again.status == 0
    # A token's time of issue has whole seconds.
    ended_at = int(time.time())
    while int(time.time()) == ended_at:
        time.sleep(0.05)
    with HttpBrowser() as anew:
        assert anew.sign_in(stack.url("auth_app"), email=EMAIL).status_code == 303
        assert anew.get(stack.url("energy", "/en/energy/clients"), follow=False).status_code == 200
        # A browser that has lost its access token: nothing but the time of the sign-in tells it from one of before.
        for cookie in [each for each in anew.http.cookies if each.name == VAR_ACCESS_TOKEN]:
            anew.http.cookies.clear(cookie.domain, cookie.path, cookie.name)
        assert anew.get(stack.url("energy", "/en/energy/clients"), follow=False).status_code == 200


def test_in_a_container_whose_user_has_no_name_the_audit_log_has_the_number(monkeypatch, caplog) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_242_424)
    with caplog.at_level("INFO", "portal.audit"):
        call_command("sign_out_user", "usr_nobody", stdout=io.StringIO(), stderr=io.StringIO())
    assert [record.audit["by"] for record in caplog.records if hasattr(record, "audit")] == ["uid 4242424"]
