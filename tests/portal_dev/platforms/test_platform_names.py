"""A name that a platform can't have is refused, and the reason is said."""

import re

import pytest
from django.apps import apps

from portal_dev.platforms.platform_folders import LONGEST, why_no_platform
from tests.support.checkout_copy import NEW_PLATFORM
from tests.support.harness import ROOT

REFUSED = {
    "it should be 2 to 14 lower-case letters (a to z) and digits, and begin with a letter": (
        *("", "x", "Logistics", "LOGISTICS", "2hr", "new-one", "auth_app", "two words", "../up", "a.b"),
        *("straße", "İz", "ab\n", "x" * (LONGEST + 1)),
    ),
    "there is a platform of this name": ("energy",),
    "it is a word of the Python language": ("class", "import", "match", "case"),
    "it is a language, the first segment of an address": ("en", "de", "tr"),
    "it is a page of every app": ("login", "logout", "profile", "static", "locale", "metrics", "oidc"),
    "it is the host name of the gateway": ("auth", "gateway"),
    "it is the host name of the backend": ("api",),
    "it is the host name of the OpenID provider": ("id",),
    "it is the host name of the public web site": ("www",),
    "every product has an apps/product.py, or the folder apps/templates": ("product", "templates"),
    "git, pytest and ruff skip folders of this name": ("build", "dist", "venv"),
    "the services have a domain or a module of this name": ("iam", "user"),
    "Python has a module of this name": ("calendar", "email", "django", "portal", "apps", "tests", "benchmarks"),
}


@pytest.mark.parametrize(("name", "reason"), [(name, reason) for reason, names in REFUSED.items() for name in names])
def test_a_name_of_another_form_or_that_is_taken_is_refused_with_the_reason(name: str, reason: str) -> None:
    assert why_no_platform(name) == reason


def test_other_names_are_free_those_of_built_in_functions_too_and_no_installed_app_is() -> None:
    assert [name for name in ("q7", NEW_PLATFORM, "callable", "x" * LONGEST) if why_no_platform(name)] == []
    assert [app.label for app in apps.get_app_configs() if not why_no_platform(app.label)] == [], (
        "Django needs each once"
    )


def test_every_host_that_the_documentation_names_is_taken() -> None:
    pages = [*(ROOT / "deploy").rglob("*.*"), *(ROOT / "docs").rglob("*.md"), ROOT / ".env.example"]
    hosts = set(re.findall(r"\b([a-z]+)\.example\.com", "".join(page.read_text() for page in pages)))
    assert {"auth", "api", "id"} <= hosts
    # The example of the how-to for a new platform.
    free = {host for host in hosts if why_no_platform(host) is None} - {"logistics"}
    assert free == set()
