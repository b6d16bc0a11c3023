"""The numbers of requirements, "Limits", of the contract and of what the pages promise, as they stand there.

Other tests measure behaviour by the constants; that the constants are right is said here, once and in figures.
"""

import pytest
from django.conf import settings

from portal.config import cookies, limits
from portal.query.cache.pages import PAGE_LIFETIME_S
from portal_dev.local_servers.server_group import STOP_TIMEOUT_S

MINUTE, DAY = 60, 24 * 60 * 60
LIMITS = {
    'requirements, "Limits"': {"STALE_TIME_S": 5 * MINUTE, "QUERY_RETRIES": 2, "MUTATION_RETRIES": 1},
    "contract, section 3, numbers": {
        "CONNECT_TIMEOUT_S": 3.05,
        "READ_TIMEOUT_S": 10,
        "STORE_MAX_MB": 256,
        "SIGN_IN_MAX_AGE_S": 30 * DAY,
    },
    "contract, section 5, numbers": {"EXPIRY_LEEWAY_S": 30, "NEXT_MAX_CHARS": 2000},
    "contract, section 8, numbers": {
        "ROTATION_GRACE_S": 60,
        "REFRESH_DEADLINE_S": 10,
        "REFRESH_LOCK_S": 15,
        "REFRESH_UNREACHABLE_MEMORY_S": 1,
        "REFRESH_FAILED_STATUSES": {400, 401, 403, 422},
        "RETRY_STATUSES": {408, 425, 429, 500, 502, 503, 504},
        "RETRY_BASE_DELAY_S": 0.1,
        "RETRY_AFTER_MAX_S": 2,
        "REQUEST_BUDGET_S": 10,
        "VAR_DEFAULT_PAGE_SIZE": 20,
    },
    "docs/explanation/when-nobody-answers.md and docs/adr/0011-circuit-breaker.md": {
        "STORE_TIMEOUT_S": 1,
        "STORE_SLOW_S": 0.1,
        "PATIENCE_S": 0.6,
        "PROFILE_BUDGET_S": 3,
        "CIRCUIT_SILENCE_S": 5,
        "CIRCUIT_PROBE_S": 5,
        "CIRCUIT_PROBE_WAIT_S": 0.5,
    },
    "docs/adr/0003-sign-in-limit.md": {
        "SIGN_IN_TRIES": 10,
        "SIGN_IN_TRIES_PER_ADDRESS": 100,
        "SIGN_INS_PER_ACCOUNT": 100,
        "SIGN_IN_WINDOW_MIN": 15,
        "SIGN_IN_KNOWN_S": 30 * DAY,
        "PASSWORD_RESETS_PER_ADDRESS": 20,
    },
}
COOKIES = {"MAX_PLATFORMS_COOKIE_CHARS": 1024, "MAX_COOKIE_BYTES": 4096, "PREFERENCE_MAX_AGE_S": 365 * DAY}


@pytest.mark.parametrize("place", LIMITS)
def test_limits_are_the_numbers_of_the_text(place: str) -> None:
    assert {name: getattr(limits, name) for name in LIMITS[place]} == LIMITS[place]


def test_limits_outside_of_that_module_keep_the_contract() -> None:
    assert {name: getattr(cookies, name) for name in COOKIES} == COOKIES
    assert PAGE_LIFETIME_S == 15 * MINUTE
    assert STOP_TIMEOUT_S < 5, "`make run` ends within 5 s"


def test_the_refresh_lock_outlasts_the_call() -> None:
    """If it ended during the call, a second process would submit the same token: the backend may end the sign-in."""
    longest = limits.REFRESH_LATEST_START_S + limits.REFRESH_DEADLINE_S + limits.STORE_TIMEOUT_S
    assert longest <= limits.REFRESH_LOCK_S


def test_calls_and_sign_ins_have_them_by_default() -> None:
    # The environment of the tests names none of these.
    assert (settings.PORTAL.connect_timeout_s, settings.PORTAL.read_timeout_s) == (3.05, 10)
    assert settings.PORTAL.sign_in_max_age_s == 30 * DAY
