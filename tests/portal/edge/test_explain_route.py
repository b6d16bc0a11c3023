"""`explain_route`: the way to a decision, and the same decision that a request would get."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import jwt
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.edge.explanation import DECIDES, explain
from portal.edge.rules import RULES, decide
from tests.portal.edge.test_rules import FACTS

ENERGY = jwt.encode({"sub": "somebody", "permissions": ["ENERGY_APP"]}, "a secret of at least thirty-two bytes")


def explained(*words: str) -> str:
    out = StringIO()
    call_command("explain_route", *words, stdout=out, no_color=True)
    assert ENERGY not in out.getvalue(), "it never prints the token"
    return out.getvalue()


@given(FACTS)
def test_what_is_explained_is_what_is_decided(context) -> None:
    explanation = explain(context)
    assert explanation.decision == decide(context)
    assert [step.result for step in explanation.steps].index(DECIDES) == len(explanation.steps) - 1
    assert [step.rule for step in explanation.steps] == [rule.name for rule in RULES[: len(explanation.steps)]]


@pytest.fixture(autouse=True)
def token_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with tokens, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("energy.txt").write_text(f"{ENERGY}\n")
    Path("garbage.txt").write_text("garbage\n")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ["/energy/clients?q=1"],
            [
                "route          of the platform ENERGY, this app",
                "Location: /en/energy/clients?q=1",
                "1-normal-form  decides",
            ],
        ),
        (
            ["http://localhost:8001/en/finance", "--permissions", "ENERGY_APP, IAM_ADMIN"],
            ["platforms      ENERGY (from the token)", "4-not-allowed  decides", "302 Found", "Location: /en/energy"],
        ),
        (
            ["/en/energy", "--permissions", "ENERGY_APP"],
            ["forwarded to apps.energy.views.overview.overview", "x-pathname: /en/energy"],
        ),
        (
            ["/en/energy", "--token-file", "energy.txt"],
            ["access token   valid", "forwarded to apps.energy.views.overview.overview"],
        ),
        (
            ["/en/energy", "--permissions", "", "--cookie", f"{VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D"],
            ["platforms      ENERGY (from the cookie)", "5-forward      decides"],
        ),
        (
            ["/en/energy", "--token-file", "garbage.txt", "--header", "HX-Request: true", "--method", "POST"],
            [
                "navigation     no, from htmx",
                "401 Unauthorized",
                "cookies are cleared",
                "HX-Redirect: http://localhost",
            ],
        ),
        (
            ["/en/energy", "--cookie", f"{VAR_REFRESH_TOKEN}=r"],
            ["refresh token  present", "Location: http://localhost:8000/en/profile"],
        ),
        (
            ["/en/finance", "--permissions", "ENERGY_APP", "--method", "POST"],
            ["403 Forbidden, as the project's own page"],
        ),
        (["/en/energy/%2e%2e"], ["0-malformed    decides", "400 Bad Request"]),
        (["/healthz"], ["route          never gated", "forwarded to portal.web.views", "no x-pathname"]),
        (["/en/energy", "--method", "OPTIONS"], ["204 No Content", "Allow: GET"]),
        (["/"], ["locale         en, by cookie", "Location: /en"]),
        (["/", "--header", "Accept-Language: tr", "--cookie", f"{VAR_SELECTED_LOCALE}=de"], ["Location: /de"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_it_prints_the_way_and_the_response(words, lines) -> None:
    printed = explained(*words)
    for line in lines:
        assert line in printed


def test_a_token_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(f"{ENERGY}\n"))
    assert "access token   valid" in explained("/en/energy", "--token-file", "-")


def test_a_token_as_a_word_of_the_command_line_is_refused_and_not_repeated() -> None:
    with pytest.raises(CommandError, match="the token can't be read") as caught:
        explained("/en/energy", "--token", ENERGY)
    assert ENERGY not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["http://localhost:8003/en/finance"], "http://localhost:8001 is this app's address"),
        (["http://[x/en"], "is no address"),
        (["/en", "--header", "nonsense"], "should be 'Name: value'"),
        (["/en", "--token-file", "missing.txt"], "the token can't be read: No such file"),
        (["/en", "--token-file", "x", "--permissions", "y"], "not allowed with"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(words, complaint) -> None:
    with pytest.raises(CommandError, match=complaint):
        explained(*words)


def test_a_cookie_and_a_header_outside_of_latin_1_are_taken_as_a_browser_sends_them() -> None:
    told = explained("/en/energy", "--cookie", "a=€", "--header", "X-Name: €", "--permissions", "ENERGY_APP")
    assert "forwarded to" in told
