"""Answers of the backend that are lost on the way: what was done is done once, and the user learns so."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import requests

from portal.config.projects import BACKEND_PORT_OFFSET
from tests.support.backend_proxy import BackendProxy, backend_proxy
from tests.support.harness import RunningStack, running_stack
from tests.support.ports import free_port_base

PATIENCE_S = 60
ADDRESS = "finance@example.com"
RESET = "/auth/reset-password"


@pytest.fixture(scope="module")
def backend_and_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BackendProxy, RunningStack]]:
    base = free_port_base()
    with (
        backend_proxy(backend_port=base + BACKEND_PORT_OFFSET) as backend,
        running_stack(
            tmp_path_factory.mktemp("lost"),
            without=("energy", "operations", "finance"),
            port_base=base,
            APP_PUBLIC_API_BASE_URL=backend.url,
        ) as stack,
    ):
        yield backend, stack


@pytest.fixture
def backend(backend_and_stack: tuple[BackendProxy, RunningStack]) -> Iterator[BackendProxy]:
    yield backend_and_stack[0]
    backend_and_stack[0].losing.clear()


@pytest.fixture
def stack(backend_and_stack: tuple[BackendProxy, RunningStack]) -> RunningStack:
    return backend_and_stack[1]


def hidden_fields(page: str) -> dict[str, str]:
    found = re.findall(r"<input type=\"hidden\"[^>]*>", page)
    return {re.findall(r'name="([^"]*)"', each)[0]: re.findall(r'value="([^"]*)"', each)[0] for each in found}


def test_a_reset_whose_answer_was_lost_is_done_by_the_same_form_sent_again(
    stack: RunningStack, backend: BackendProxy
) -> None:
    requests.post(f"{stack.backend}/auth/forgot-password", json={"email": ADDRESS}, timeout=PATIENCE_S)
    token = re.findall(r"reset\?token=(\S+)", stack.log.read_text())[-1]
    address = stack.url("auth_app", "/en/login/reset")
    with requests.Session() as browser:
        browser.trust_env = False
        opened = browser.get(address, params={"token": token}, timeout=PATIENCE_S)
        form = hidden_fields(opened.text) | {"token": token, "password": "other words"}
        headers = {"Origin": stack.url("auth_app")}
        backend.losing.add(RESET)
        lost = browser.post(address, data=form, headers=headers, timeout=PATIENCE_S)
        assert lost.status_code == 503
        assert ("POST", RESET) in backend.calls
        backend.losing.clear()
        again = browser.post(address, data=form, headers=headers, timeout=PATIENCE_S, allow_redirects=False)
        assert (again.status_code, again.headers.get("Location")) == (303, "/en/login")
    for password, status in (("demo", 401), ("other words", 200)):
        answer = requests.post(
            f"{stack.backend}/auth/login", json={"email": ADDRESS, "password": password}, timeout=PATIENCE_S
        )
        assert answer.status_code == status
    assert token not in "".join(line for line in stack.log.read_text().splitlines() if "mail to" not in line)
