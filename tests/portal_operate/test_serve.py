"""What `serve` keeps for the next starts depends on all that it is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from portal.config.current import portal_config
from portal_operate.management.commands import serve
from tests.support.harness import ROOT


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
