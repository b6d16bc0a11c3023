import pytest


@pytest.mark.parametrize("path", ["..%2Fme", "../me", "%2e%2e%2fme", "a b", "ü", "x" * 33, "a%00b", "a.b"])
def test_what_is_no_id_is_no_address(energy, problem, path):
    assert problem(energy.get(f"/energy/clients/{path}"), 404)
