"""What the log says of an error: its innermost cause, in words that are nobody's."""

from __future__ import annotations

from portal.api.call_log import describe_cause
from portal.errors import ApiNotFoundError


def test_a_cause_s_own_words_are_one_short_line():
    error = ApiNotFoundError("of-the-answer", status=404)
    assert describe_cause(error) == "ApiNotFoundError"
    error.__cause__ = OSError("first\nsecond\x1b[31m" + "x" * 1000)
    described = describe_cause(error)
    assert described.isprintable()
    assert described.startswith("OSError: first second")
    assert len(described) < 250


def test_a_chain_that_bites_its_tail_ends():
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert describe_cause(first) == "KeyError"
