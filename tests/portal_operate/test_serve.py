"""What `serve` keeps for the next starts depends on all that it is made from."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from portal.config.current import portal_config
from portal_operate.management.commands import serve
from tests.functional.test_serve import production_environment
from tests.portal.server.processes import compiled_templates
from tests.support.harness import ROOT, run_program


def test_the_release_of_what_is_kept_has_the_code_that_compiles_the_templates_and_all_that_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(portal_config(), debug=False, static_root=tmp_path, compiled_templates_dir=tmp_path)
    asked = []

    def release_of(folders: Iterable[Path], *more: object) -> bytes:
        asked.append((set(folders), repr(more)))
        return b""

    monkeypatch.setattr(serve, "portal_config", lambda: config)
    monkeypatch.setattr(serve, "release_of", release_of)
    monkeypatch.setattr(serve, "provide", lambda make, *, release, **options: release() and "")
    serve._provide_files()
    [(folders, more)] = asked
    packages = ROOT / "packages"
    needed = {packages / "portal", packages / "portal_pages", ROOT / "apps" / config.project.app}
    assert needed <= folders
    assert all(each in more for each in ("jinja2-", "markupsafe-", "django_htmx-", "/static/"))


COMPILE = """
import django

django.setup()
from portal.web.templating import compile_templates

compile_templates()
"""


def test_what_is_compiled_does_not_depend_on_the_configuration(tmp_path: Path) -> None:
    """The release names no variable of the environment."""
    found = []
    for folder, variables in (
        # Others of this run have compiled it like this.
        (compiled_templates("auth_app"), {}),
        (
            str(tmp_path),
            {
                "APP_PUBLIC_GATEWAY_APP_URL": "https://auth.example.com",
                "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "example.com",
                "APP_OIDC_ISSUER": "https://id.example.com",
                "APP_OIDC_CLIENT_ID": "portal",
                "APP_JWT_JWKS_URL": "https://id.example.com/keys",
                "APP_PASSWORD_RESET": "on",
                "APP_BEHIND_PROXY": "on",
            },
        ),
    ):
        environment = production_environment(
            tmp_path / "state",
            DJANGO_SETTINGS_MODULE="apps.auth_app.settings",
            APP_COMPILED_TEMPLATES_DIR=folder,
            **variables,
        )
        run_program(sys.executable, "-c", COMPILE, env=environment)
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        found.append({str(path.relative_to(folder)): marshal.loads(path.read_bytes()) for path in files})
    assert len(found[0]) > 50
    assert found[0] == found[1]
