"""The platforms cookie: what is written can be read, and what anybody else writes does no harm."""

import json
from http.cookies import SimpleCookie
from urllib.parse import quote

import pytest
from django.http.cookie import parse_cookie
from hypothesis import given
from hypothesis import strategies as st

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.identity.users import dump_platforms_cookie, parse_platforms_cookie

BOTH = ("ENERGY", "FINANCE")


@pytest.mark.parametrize(
    "raw",
    [
        "%5B%22ENERGY%22%2C%22FINANCE%22%5D",
        '["ENERGY","FINANCE"]',
        '[ "FINANCE" , "ENERGY" ]',
        r'"[\"ENERGY\",\"FINANCE\"]"',
        "%22%5B%5C%22ENERGY%5C%22%2C%5C%22FINANCE%5C%22%5D%22",
        '["FINANCE","NO_SUCH","ENERGY","ENERGY",7,null,["ENERGY"]]',
    ],
)
def test_it_is_read_percent_encoded_plain_and_quoted(raw) -> None:
    assert parse_platforms_cookie(raw) == BOTH


NONE_AT_ALL = ("ENERGY", '{"ENERGY":true}', '["energy"]', '["ENERGY"', "%ff%fe", "\ud800", "[NaN]")


@pytest.mark.parametrize("raw", [None, "", "[" * 1024, *NONE_AT_ALL], ids=lambda raw: ascii(raw)[:30])
def test_anything_else_counts_as_empty(raw) -> None:
    assert parse_platforms_cookie(raw) == ()


def test_the_limit_is_1024_characters() -> None:
    assert parse_platforms_cookie('["ENERGY"]'.ljust(1024)) == ("ENERGY",)
    assert parse_platforms_cookie('["ENERGY"]'.ljust(1025)) == ()


def test_what_is_written_is_a_percent_encoded_json_array_in_the_registrys_order() -> None:
    assert dump_platforms_cookie(("FINANCE", "ENERGY")) == quote('["ENERGY","FINANCE"]', safe="")
    assert dump_platforms_cookie(()) == "%5B%5D"


@given(
    st.lists(st.sampled_from(["ENERGY", "OPERATIONS", "FINANCE"])).map(tuple),
    st.sampled_from([dump_platforms_cookie, json.dumps]),
)
def test_what_is_written_by_us_or_quoted_by_python_survives_a_cookie_header(platforms, write) -> None:
    jar = SimpleCookie()
    jar[VAR_PERMITTED_PLATFORMS] = write(platforms)
    read = parse_cookie(jar[VAR_PERMITTED_PLATFORMS].OutputString())[VAR_PERMITTED_PLATFORMS]
    assert set(parse_platforms_cookie(read)) == set(platforms)


@given(st.text(max_size=1100) | st.text('[]"\\%5BENRGY,', max_size=60))
def test_no_text_makes_it_raise(raw) -> None:
    assert isinstance(parse_platforms_cookie(raw), tuple)
