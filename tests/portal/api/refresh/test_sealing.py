"""Sealed records: for the holder of one token, and for nobody else."""

from __future__ import annotations

import base64
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.api.refresh.sealing import (
    UnreadableRecordError,
    family_secret,
    idempotency_key,
    record_name,
    revocation_key,
    seal,
    unseal,
)

PAIR = ["the-access-token", "the-refresh-token"]


@given(st.text(), st.text())
def test_the_holder_of_any_token_opens_the_record(under, access):
    content = [access, None]
    assert unseal(seal(content, under=under), under=under) == content


@pytest.mark.parametrize("position", [0, 12, 30, -1])
def test_a_changed_record_does_not_open(position):
    raw = bytearray(base64.b64decode(seal(PAIR, under="old")))
    raw[position] ^= 1
    with pytest.raises(UnreadableRecordError):
        unseal(base64.b64encode(raw).decode(), under="old")


@pytest.mark.parametrize(
    "record",
    [pytest.param(seal(PAIR, under="older"), id="another"), "", "no base64!", "AAAA", None, 7, [], "A" * 100],
)
def test_nor_does_one_of_another_token_or_anything_else(record):
    with pytest.raises(UnreadableRecordError):
        unseal(record, under="old")


def test_a_record_shows_neither_token_and_never_looks_the_same():
    one, two = seal(PAIR, under="old"), seal(PAIR, under="old")
    assert one != two
    assert b"token" not in base64.b64decode(one)


def test_name_and_idempotency_key_are_hashes_that_do_not_tell_of_each_other():
    made = (record_name, family_secret, idempotency_key, revocation_key)
    names = {make(token) for make in made for token in ("a", "b")}
    assert len(names) == 8
    assert not [(one, other) for one in names for other in names if one != other and one.startswith(other)]
    assert sorted(len(name) for name in names) == [32] * 4 + [64] * 4
    assert [make("a") for make in made] == [make("a") for make in made]


def test_tokens_of_base64_take_no_more_room_sealed_than_they_have():
    tokens = [base64.urlsafe_b64encode(os.urandom(1125)).decode() for _ in range(2)]
    assert len(seal(tokens, under="old")) < 1.1 * sum(map(len, tokens))
