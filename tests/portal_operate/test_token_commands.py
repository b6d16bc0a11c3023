"""`decode_token`."""

import base64
import dataclasses
import io
import json
import sys
import time

import jwt
import pytest
from django.conf import settings
from django.core.management import call_command, load_command_class
from django.core.management.base import CommandError
from django.test import override_settings

from portal.config.portal_config import TokenVerification
from tests.support.command_line import run_command

KEY = "a-secret-of-thirty-two-bytes-and-more"
NOW = int(time.time())


def token(key: str = KEY, **claims) -> str:
    return jwt.encode(
        {"sub": "usr_1", "permissions": ["ENERGY_APP"], "iat": NOW, "exp": NOW + 20 * 3600, **claims}, key, "HS256"
    )


def answer_of(*words: str, **changes: object) -> tuple[int, str, str]:
    """Exit status, output and progress of a command, with this changed in the configuration."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, **changes)):
        try:
            call_command(*words, "--json", stdout=out, stderr=err)
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


def decode(text: str, monkeypatch, **verification: str) -> tuple[int, dict]:
    """Exit status and JSON of `decode_token` for a token on standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    algorithms = ("HS256",) if verification.get("key") else ()
    found = TokenVerification(algorithms=algorithms, **verification)
    status, out, _ = answer_of("decode_token", verification=found)
    signature = text.strip().rpartition(".")[2]
    assert not signature or signature not in out
    return status, json.loads(out)


def test_a_token_that_is_taken_says_whether_it_was_only_decoded(monkeypatch) -> None:
    # Not from `NOW`: a whole suite may run for half an hour after that.
    status, told = decode(f"Bearer {token(exp=int(time.time()) + 20 * 3600)}\n", monkeypatch)
    assert status == 0
    assert (told["accepted"], told["verified"]) == (True, False)
    assert told["platforms"] == ["ENERGY"]
    assert told["claims"]["sub"] == "usr_1"
    assert told["times"]["exp"].startswith("expires in 20 hours (")
    status, told = decode(token(), monkeypatch, key=KEY)
    assert (status, told["verified"], told["reason"]) == (0, True, "valid now")


@pytest.mark.parametrize(
    ("made", "verification", "reason"),
    [
        (token("another-secret-of-thirty-two-bytes"), {}, "it is not signed with APP_JWT_KEY"),
        (token(exp=NOW - 600), {}, "it has expired: the edge renews it if a refresh token is there"),
        (token(nbf=NOW + 36000), {}, "it is not valid yet (nbf), or one of its time claims is no number"),
        (token(iss="other"), {"issuer": "https://api"}, "its issuer (iss) is not https://api"),
        (token(), {"audience": "portal"}, "it has no claim aud"),
        (token(aud="other"), {"audience": "portal"}, "its audience (aud) is not portal"),
        (jwt.encode({"sub": "x"}, KEY * 2, "HS512"), {}, "its algorithm is HS512, and APP_JWT_ALGORITHMS has HS256"),
        # Also when it is only decoded.
        (jwt.encode({"sub": "x"}, "", "none"), {"key": ""}, "it has no signature (alg: none)"),
    ],
)
def test_a_token_that_is_not_taken_says_why(made, verification, reason, monkeypatch) -> None:
    status, told = decode(made, monkeypatch, **{"key": KEY, **verification})
    assert (status, told["accepted"], told["reason"]) == (1, False, reason)


@pytest.mark.parametrize("text", ["", "no token", "a.b.c", "only.two"])
def test_what_is_no_token_can_not_be_asked_about_and_is_not_repeated(text, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    with pytest.raises(CommandError, match="no access token") as caught:
        call_command("decode_token")
    assert caught.value.returncode == 2
    assert text not in str(caught.value) or not text


def made_up(claims: str) -> str:
    """A token with these claims to the letter, which nobody has signed."""
    parts = [base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in ('{"alg":"HS256"}', claims)]
    return ".".join([*parts, "c2lnbmF0dXJl"])


@pytest.mark.parametrize(
    ("claims", "told_as"),
    [
        ('{"exp": NaN, "of": [1e400, {"it": -Infinity}]}', {"exp": "NaN", "of": ["Infinity", {"it": "-Infinity"}]}),
        ('{"sub": "\\ud800"}', {"sub": "\ud800"}),
        (f'{{"exp": {"9" * 400}}}', {"exp": int("9" * 400)}),
    ],
    ids=["no numbers", "half a character", "a number that is too large"],
)
def test_a_token_with_odd_values_is_told_in_sound_json(claims, told_as, monkeypatch) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    monkeypatch.setattr(sys, "stdin", io.StringIO(made_up(claims)))
    status, out, _ = answer_of("decode_token", verification=TokenVerification(key=KEY, algorithms=("HS256",)))
    assert (status, json.loads(out, parse_constant=refuse)["claims"]) == (1, told_as)


def test_half_a_character_is_printed_as_text_too() -> None:
    ended = run_command("decode_token", given=made_up('{"sub": "\\ud800"}'), DEBUG="on", APP_JWT_KEY=KEY)
    assert ended.status == 1, ended.err


def test_the_help_has_examples_and_the_meaning_of_each_status() -> None:
    for name in ("doctor", "decode_token", "sign_out_user"):
        text = load_command_class("portal_operate", name).create_parser("manage.py", name).format_help()
        assert "examples:\n  --app " in text
        assert "exit status:\n  0  " in text
        assert "\n  2  it could not be asked, or the command line is wrong" in text
