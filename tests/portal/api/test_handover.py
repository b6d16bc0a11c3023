"""Hand-over records: for the holder of one token, and for nobody else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.api.handover import UnreadableRecordError, idempotency_key, record_name, seal, unseal
from portal.api.tokens import TokenPair

PAIR = TokenPair(access="the-access-token", refresh="the-refresh-token")


def test_the_holder_of_the_token_opens_the_record():
    assert unseal(seal(PAIR, under="old"), under="old") == PAIR


@given(st.text(), st.text())
def test_any_token_can_carry_a_record(under, access):
    pair = TokenPair(access=access, refresh=None)
    assert unseal(seal(pair, under=under), under=under) == pair


def test_nobody_else_does():
    with pytest.raises(UnreadableRecordError):
        unseal(seal(PAIR, under="old"), under="older")


@pytest.mark.parametrize("position", [0, 12, 30, -1])
def test_a_changed_record_does_not_open(position):
    raw = bytearray(base64.b64decode(seal(PAIR, under="old")))
    raw[position] ^= 1
    with pytest.raises(UnreadableRecordError):
        unseal(base64.b64encode(raw).decode(), under="old")


@pytest.mark.parametrize("record", ["", "no base64!", "AAAA", None, 7, [], "A" * 100])
def test_anything_else_does_not_open(record):
    with pytest.raises(UnreadableRecordError):
        unseal(record, under="old")


def test_a_record_shows_neither_token_and_never_looks_the_same():
    one, two = seal(PAIR, under="old"), seal(PAIR, under="old")
    assert one != two
    assert b"token" not in base64.b64decode(one)


def test_name_and_idempotency_key_are_hashes_that_do_not_tell_of_each_other():
    names = {record_name("a"), record_name("b"), idempotency_key("a"), idempotency_key("b")}
    assert len(names) == 4
    assert all(len(name) == 64 for name in names)
    assert record_name("a") == record_name("a")


def test_a_pair_is_sealed_differently_each_time():
    pair = TokenPair(access="a", refresh="r")
    assert seal(pair, under="x") != seal(pair, under="x")
