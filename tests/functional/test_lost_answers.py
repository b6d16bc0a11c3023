"""Answers of the backend that are lost on the way: what was done is done once, and the user learns so."""

from __future__ import annotations

import re
from collections.abc import Callable

import requests

from tests.support.backend_proxy import BackendProxy
from tests.support.harness import PATIENCE_S, RunningStack

RESET = "/auth/reset-password"


def hidden_fields(page: str) -> dict[str, str]:
    found = re.findall(r"<input type=\"hidden\"[^>]*>", page)
    return {re.findall(r'name="([^"]*)"', each)[0]: re.findall(r'value="([^"]*)"', each)[0] for each in found}


def test_a_reset_whose_answer_was_lost_is_done_by_the_same_form_sent_again(
    stack: RunningStack, proxy: BackendProxy, new_account: Callable[..., str]
) -> None:
    email = f"{new_account()}@example.com"
    requests.post(f"{stack.backend}/auth/forgot-password", json={"email": email}, timeout=PATIENCE_S)
    token = re.findall(r"reset\?token=(\S+)", stack.log.read_text())[-1]
    address = stack.url("auth_app", "/en/login/reset")
    with requests.Session() as browser:
        browser.trust_env = False
        opened = browser.get(address, params={"token": token}, timeout=PATIENCE_S)
        form = hidden_fields(opened.text) | {"token": token, "password": "other words"}
        headers = {"Origin": stack.url("auth_app")}
        proxy.losing.add(RESET)
        lost = browser.post(address, data=form, headers=headers, timeout=PATIENCE_S)
        assert lost.status_code == 503
        assert ("POST", RESET) in proxy.calls
        proxy.losing.clear()
        again = browser.post(address, data=form, headers=headers, timeout=PATIENCE_S, allow_redirects=False)
        assert (again.status_code, again.headers.get("Location")) == (303, "/en/login")
    for password, status in (("demo", 401), ("other words", 200)):
        answer = requests.post(
            f"{stack.backend}/auth/login", json={"email": email, "password": password}, timeout=PATIENCE_S
        )
        assert answer.status_code == status
    assert token not in "".join(line for line in stack.log.read_text().splitlines() if "mail to" not in line)
