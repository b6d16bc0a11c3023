"""`explain_route`: the way to a decision, and the same decision that a request would get."""

from io import StringIO
from pathlib import Path

import jwt
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.edge.rules import RULES, decide
from portal_dev.edge_explanation import DECIDES, explain
from tests.portal.edge.test_rules import FACTS

ENERGY = jwt.encode({"sub": "somebody", "permissions": ["ENERGY_APP"]}, "a secret of at least thirty-two bytes")


def explained(*words: str) -> str:
    out = StringIO()
    call_command("explain_route", *words, stdout=out, no_color=True)
    assert ENERGY not in out.getvalue(), "it never prints the token"
    return out.getvalue()


@settings(max_examples=50)
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
    ("words", "told"),
    [
        (
            "http://localhost:8001/en/finance --permissions ENERGY_APP,IAM_ADMIN",
            "platforms      ENERGY (from the token)|4-not-allowed  decides|302 Found|Location: /en/energy",
        ),
        (
            "/en/energy --token-file energy.txt",
            "access token   valid|forwarded to apps.energy.views.overview.overview|x-pathname: /en/energy",
        ),
        (
            f"/en/energy --cookie {VAR_REFRESH_TOKEN}=r --permissions , --cookie {VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D --header X-Name:€",
            "refresh token  present|platforms      ENERGY (from the cookie)|5-forward      decides",
        ),
        (
            "/en/energy --token-file garbage.txt --header HX-Request:true --method POST",
            "navigation     no, from htmx|401 Unauthorized|cookies are cleared|HX-Redirect: http://localhost",
        ),
        ("/healthz", "route          never gated|forwarded to portal.web.views|no x-pathname"),
        (f"/ --header Accept-Language:tr --cookie {VAR_SELECTED_LOCALE}=de", "Location: /de"),
    ],
)
def test_it_prints_the_way_and_the_response(words: str, told: str) -> None:
    printed = explained(*words.split())
    for line in told.split("|"):
        assert line in printed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("http://localhost:8003/en/finance", "http://localhost:8001 is this app's address"),
        ("/en --header nonsense", "should be 'Name: value'"),
        ("/en --token-file missing.txt", "the token can't be read: No such file"),
        (f"/en/energy --token {ENERGY}", "the token can't be read"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong_and_repeats_no_token(words: str, complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint) as caught:
        explained(*words.split())
    assert ENERGY not in str(caught.value)
