import re

import pytest

from sandbox_api.ids import MAX_ID_LENGTH, RowIdConverter, new_id


def test_ids_are_told_apart_and_fit_their_column_and_their_path():
    ids = {new_id("cli") for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(row_id) <= MAX_ID_LENGTH for row_id in ids)
    assert all(re.fullmatch(RowIdConverter.regex, row_id) for row_id in ids)


@pytest.mark.parametrize("path", ["..%2Fme", "../me", "%2e%2e%2fme", "a b", "ü", "x" * 33, "a%00b", "a.b"])
def test_what_is_no_id_is_no_address(energy, problem, path):
    assert problem(energy.get(f"/energy/clients/{path}"), 404)
