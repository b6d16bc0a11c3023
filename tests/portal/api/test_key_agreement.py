"""Projects that verify with different keys are named in the log."""

from __future__ import annotations

import dataclasses

import pytest
from django.http import HttpResponse
from django.test import override_settings

from portal.api.key_agreement import warn_of_other_keys
from portal.config.current import portal_config
from portal.config.portal_config import TokenVerification
from portal.config.projects import PROJECTS
from portal.store import refresh_store
from portal.web.middleware import ApiAccessMiddleware
from sqlite_cache import SQLiteCache, close_idle_connections
from tests.support.given_store import StoreOn

ONE, OTHER = "one-key-" * 5, "other-key-" * 5
PEM = "-----BEGIN PUBLIC KEY-----\nabc\ndef\n-----END PUBLIC KEY-----\n"


@pytest.fixture
def backend(tmp_path):
    yield SQLiteCache(str(tmp_path / "store" / "cache.sqlite3"), {})
    close_idle_connections()


@pytest.fixture
def warnings_of(backend, caplog):
    """The warnings with which an app starts that has this key."""

    def start(app: str, key: str) -> list[str]:
        caplog.clear()
        warn_of_other_keys(config_of(app, key), store=StoreOn(backend))
        return [record.getMessage() for record in caplog.records]

    return start


def config_of(app: str, key: str):
    (project,) = (project for project in PROJECTS if project.app == app)
    return dataclasses.replace(
        portal_config(), project=project, verification=TokenVerification(key=key, algorithms=("HS256",))
    )


def test_the_same_key_everywhere_is_no_news(warnings_of):
    assert [warnings_of(project.app, ONE) for project in PROJECTS] == [[] for _ in PROJECTS]


def test_another_key_is_named_with_whose_it_is_and_neither_is_shown(warnings_of, backend):
    warnings_of("auth_app", ONE)
    warnings_of("energy", ONE)
    (warning,) = warnings_of("finance", OTHER)
    assert "auth_app, energy" in warning
    assert "finance" not in warning
    stored = b"".join(path.read_bytes() for path in backend.path.parent.iterdir())
    for key in (ONE, OTHER):
        assert key not in warning
        assert key.encode() not in stored


def test_a_restart_with_the_right_key_ends_it(warnings_of):
    warnings_of("auth_app", ONE)
    assert warnings_of("energy", OTHER)
    assert warnings_of("energy", ONE) == []
    assert warnings_of("auth_app", ONE) == []


def test_a_project_without_a_key_says_nothing_and_leaves_nothing(warnings_of):
    assert warnings_of("auth_app", "") == []
    warnings_of("energy", ONE)
    assert warnings_of("auth_app", "") == []


def test_a_key_is_the_same_however_its_line_breaks_are_written(warnings_of):
    warnings_of("auth_app", PEM)
    assert warnings_of("energy", PEM.replace("\n", "\\n")) == []


def test_without_the_store_the_start_goes_on(caplog):
    class Broken:
        def __getattr__(self, name):
            raise OSError("gone")

    warn_of_other_keys(config_of("energy", ONE), store=StoreOn(Broken()))
    assert "is not known" in caplog.text


def test_a_project_looks_when_it_starts(caplog):
    warn_of_other_keys(config_of("finance", OTHER), store=refresh_store())
    with override_settings(PORTAL=config_of("energy", ONE)):
        ApiAccessMiddleware(lambda _: HttpResponse())
    refresh_store().delete_many(["verification:finance", "verification:energy"])
    assert "with which finance started last" in caplog.text
