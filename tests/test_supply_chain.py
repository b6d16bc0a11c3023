"""The audit names what is vulnerable and what nobody audited; the list of newer versions knows what is pinned."""

import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests import supply_chain
from tests.support.harness import run_program

ROOT = Path(__file__).resolve().parents[1]
SOUND = {"name": "requests", "version": "2.32.5", "vulns": []}
VULNERABLE = {"name": "django", "version": "5.2", "vulns": [{"id": "CVE-2025-1", "fix_versions": ["5.2.1"]}]}
UNKNOWN = {"name": "granian", "skip_reason": "Dependency not found"}


def test_what_is_vulnerable_and_what_was_not_audited_is_named_and_fails_where_it_must(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for strict in (False, True):
        assert supply_chain.report_audit([SOUND, VULNERABLE], strict=strict) == 1
        assert "django 5.2: CVE-2025-1, fixed in 5.2.1\n" in capsys.readouterr().out
    assert supply_chain.report_audit([SOUND, UNKNOWN], strict=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 of 2 packages audited, 0 with known vulnerabilities",
        "not audited, because the service does not know them here: `make audit` names them",
    ]
    assert supply_chain.report_audit([SOUND, UNKNOWN], strict=True) == 1
    assert capsys.readouterr().out.endswith("does not know them here: granian\n")
    assert supply_chain.report_audit([SOUND], strict=True) == 0
    assert capsys.readouterr().out == "1 of 1 packages audited, 0 with known vulnerabilities\n"
    assert supply_chain.report_audit([SOUND], strict=False) == 0
    assert capsys.readouterr().out == "", "a check says nothing when all is well"


def test_a_check_asks_once_a_day_for_the_same_packages_and_the_audit_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        found = {"dependencies": [SOUND if asked[1:] else UNKNOWN]}
        return subprocess.CompletedProcess(command, 0, stdout=json.dumps(found), stderr="")

    pinned = tmp_path / "base.txt"
    pinned.write_text("requests==2.32.5\n")
    monkeypatch.setattr(supply_chain, "AUDITED", tmp_path / "state" / "audited")
    monkeypatch.setattr(subprocess, "run", answer)
    counts = []
    for strict in (False, False, False, True):
        assert supply_chain.audit(strict=strict, files=[pinned]) == 0
        counts.append(len(asked))
    assert counts == [1, 2, 2, 3]
    pinned.write_text("requests==2.32.6\n")
    supply_chain.audit(strict=False, files=[pinned])
    assert len(asked) == 4


def test_without_a_service_the_check_goes_on_and_the_audit_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # pip-audit's own connection is led to a port where nobody listens.
    proxies = dict.fromkeys(("HTTPS_PROXY", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    for name, value in (proxies | {"NO_PROXY": "", "no_proxy": ""}).items():
        monkeypatch.setenv(name, value)
    assert supply_chain.audit(strict=False, files=[ROOT / "requirements" / "tracing.txt"]) == 0
    assert "not audited" in capsys.readouterr().out
    assert supply_chain.audit(strict=True, files=[ROOT / "requirements" / "tracing.txt"]) == 1


def test_a_newer_version_of_a_pinned_package_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "django-99.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("django-99.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: Django\nVersion: 99.0\n")
        wheel.writestr("django-99.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("django-99.0.dist-info/RECORD", "")
    assert supply_chain.list_newer(pip_options=["--no-index", "--find-links", str(tmp_path)]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("direct    Django ")
    assert first.endswith("-> 99.0")
    assert last.startswith("1 of ")


def test_the_bill_of_materials_names_every_pinned_package(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    run_program("make", "-s", "-o", ".venv/.dev", "sbom", f"SBOM={target}")
    bill = json.loads(target.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "portal-apps"
    pinned = supply_chain.names_in(ROOT / "requirements" / "base.txt")
    assert {canonicalize_name(part["name"]) for part in bill["components"]} == pinned
