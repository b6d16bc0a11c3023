import pytest

from sandbox_api.lists.values import split_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ()),
        ("open,done", ("open", "done")),
        ("open,,open", ("open",)),
        ("a\\,b,c", ("a,b", "c")),
        ("a\\", ("a\\",)),
        ("a\\\\,b", ("a\\", "b")),
        (" a", (" a",)),
    ],
)
def test_values_stand_between_commas(text, values):
    assert split_values(text) == values
