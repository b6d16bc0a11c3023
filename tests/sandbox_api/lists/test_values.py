import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_api.lists.values import split_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ()),
        ("open,done", ("open", "done")),
        ("open,,open", ("open",)),
        ("a\\,b,c", ("a,b", "c")),
        ("a\\", ("a\\",)),
        (" a", (" a",)),
    ],
)
def test_values_stand_between_commas(text, values):
    assert split_values(text) == values


@given(values=st.lists(st.text(min_size=1), unique=True))
def test_what_is_escaped_comes_back(values):
    text = ",".join(value.replace("\\", "\\\\").replace(",", "\\,") for value in values)
    assert split_values(text) == tuple(values)
