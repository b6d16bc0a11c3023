"""Sealed records: for the holder of one token, and for nobody else."""

import base64

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


def changed(position: int) -> str:
    raw = bytearray(base64.b64decode(seal(PAIR, under="old")))
    raw[position] ^= 1
    return base64.b64encode(raw).decode()


OTHERS = (seal(PAIR, under="older"), "", "no base64!", "AAAA", None, 7, [], "A" * 100)


@pytest.mark.parametrize("record", [*map(changed, (0, 12, 30, -1)), *OTHERS], ids=range(12))
def test_record_that_was_changed_or_belongs_to_another_token_stays_closed(record):
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
