"""JSON from outside: what is read as it stands, what is replaced, what is not JSON."""

import json

import pytest

from portal.rows.strict_json import MAX_DEPTH, check_depth, may_be_deep, read_json

HALF = "\ud83d"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (rb'"half \ud83d"', "half \ufffd"),
        (rb'"whole \ud83d\ude00"', "whole \U0001f600"),
        (rb'[{"\ud800 name": ["\ud800"]}, 1, 1.5, null, true]', [{"\ufffd name": ["\ufffd"]}, 1, 1.5, None, True]),
        (rb'"no escape \\ud83d"', r"no escape \ud83d"),
        (b'"encoded \xed\xa0\xbd"', "encoded \ufffd"),
        (b'"encoded in halves \xed\xa0\xbd\xed\xb8\x80"', "encoded in halves \U0001f600"),
        ('"Korean \ud55c"'.encode(), "Korean \ud55c"),
        (f'"half {HALF}"'.encode("utf-16", "surrogatepass"), "half \ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_as_browsers_do(body, read):
    found = read_json(body)
    assert found == read
    json.dumps(found, ensure_ascii=False).encode()


@pytest.mark.parametrize("number", ["12345678901234567890123", "0.1", "-0.0", "1e22", "5e-324"])
def test_numbers_beside_it_stay_what_they_are(number):
    assert repr(read_json(rf'["\ud83d", {number}]'.encode())[1]) == repr(json.loads(number))


@pytest.mark.parametrize(
    "body", [rb'["\ud83d", NaN]', rb'["\ud83d", 1e999]', b"1e999", b"-1e999", b"NaN", rb'["\ud83d"', b'"\xff"']
)
def test_what_is_no_json_stays_none(body):
    with pytest.raises(ValueError, match=r"."):
        read_json(body)


@pytest.mark.parametrize("levels", [400, 100_000])
def test_text_within_too_many_levels_is_replaced_or_refused(levels):
    try:
        found = read_json(b"[" * levels + rb'"\ud83d"' + b"]" * levels)
    except ValueError:
        return
    assert json.dumps(found) == "[" * levels + r'"\ufffd"' + "]" * levels


@pytest.mark.parametrize("nest", [lambda inner: [inner], lambda inner: {"in": inner}], ids=["lists", "objects"])
def test_a_value_may_be_nested_64_levels_deep_and_no_deeper(nest):
    value = "end"
    for _ in range(MAX_DEPTH):
        value = nest(value)
    check_depth(value)
    assert not may_be_deep(json.dumps(value).encode())
    deeper = ["beside", nest(value)]
    assert all(may_be_deep(json.dumps(deeper).encode(encoding)) for encoding in ("utf-8", "utf-16", "utf-32"))
    with pytest.raises(ValueError, match="nested more than 64 levels deep"):
        check_depth(nest(value))
