"""`clear_sign_in_limit`: an operator lets somebody try again."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from portal.config.limits import SIGN_IN_TRIES
from portal.web.sign_in import sign_in_limit
from portal.web.sign_in.rate_limit import Counted, TooMany

WHO = {"account": "locked@example.com", "address": "203.0.113.77"}


def test_who_was_told_to_wait_may_try_again_at_once() -> None:
    for option, value in WHO.items():
        tries = [sign_in_limit().count(**WHO) for _ in range(SIGN_IN_TRIES + 1)]
        assert isinstance(tries[-1], TooMany)
        told = StringIO()
        call_command("clear_sign_in_limit", f"--{option}", value, "--json", stdout=told)
        assert json.loads(told.getvalue()) == {"cleared": True}
        assert isinstance(sign_in_limit().count(**WHO), Counted)


def test_without_a_name_it_says_what_it_needs() -> None:
    with pytest.raises(CommandError, match="--account EMAIL, --address ADDRESS"):
        call_command("clear_sign_in_limit")
