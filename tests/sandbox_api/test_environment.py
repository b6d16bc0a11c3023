from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from sandbox_api.environment import read_environment

KEY = "k" * 32


@pytest.fixture
def read(tmp_path):
    def with_variables(**variables):
        return read_environment(source={"SANDBOX_STATE_DIR": str(tmp_path / "state"), **variables})

    return with_variables


def test_debug_needs_no_key_and_keeps_the_ones_it_makes(read, tmp_path):
    first = read(DEBUG="1")
    assert first.secret_key != first.jwt_key
    assert read(DEBUG="1") == first
    for name in ("secret_key", "jwt_key"):
        assert (tmp_path / "state" / name).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_the_defaults_are_those_of_the_contract(read):
    environment = read(SANDBOX_SECRET_KEY=KEY, SANDBOX_JWT_KEY=KEY)
    assert not environment.debug
    assert not environment.allow_demo_accounts
    assert environment.access_token_lifetime == timedelta(minutes=5)
    assert environment.honour_idempotency_key
    assert environment.faults.refresh_refuse_rate == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", "maybe"),
        ("SANDBOX_JWT_KEY", "short"),
        ("SANDBOX_ACCESS_TOKEN_LIFETIME_S", "0"),
        ("SANDBOX_REFRESH_TOKEN_LIFETIME_S", "inf"),
        ("SANDBOX_PROFILE", "tiny"),
        ("SANDBOX_TRUSTED_ISSUER", "provider.test"),
        ("SANDBOX_FAULT_REFRESH_503_RATE", "1.5"),
        ("SANDBOX_STATE_DIR", "/dev/null/x"),
    ],
)
def test_a_malformed_variable_is_named_in_one_line(read, name, value):
    with pytest.raises(ImproperlyConfigured, match=f"^{name} should be") as refused:
        read(**{"DEBUG": "1", name: value})
    assert "\n" not in str(refused.value)
