"""`make audit` and `make newer`: what is known of the pinned packages, as one line or a table.

`make check` audits too, once a day for the same pinned packages. Where no vulnerability service can be asked, it says so
and goes on: a check must run on a machine without a network. `make audit` asks each time, and then fails.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name as normal

from tests.jobs import ROOT, say

#: The folders of the distributions: of the apps with the tools of this repository, the library, and the sandbox.
DISTRIBUTIONS = (".", "packages", "packages/sandbox_api")
#: What servers install. Packages of tests and checks never meet a user's data.
PINNED = [ROOT / "requirements" / name for name in ("base.txt", "tracing.txt")]
#: Of which packages, and on which day, nothing was known.
AUDITED = ROOT / ".state" / "audited"


def main(words: Sequence[str]) -> int:
    """Run one command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.supply_chain", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    audit_parser = commands.add_parser("audit", help="known vulnerabilities of the pinned packages, by pip-audit")
    audit_parser.add_argument("--strict", action="store_true", help="fail if a package could not be audited")
    commands.add_parser("newer", help="newer versions of the pinned packages, by pip")
    options = parser.parse_args(words)
    return audit(strict=options.strict) if options.command == "audit" else list_newer()


def audit(*, strict: bool, files: Sequence[Path] = PINNED) -> int:
    """Print the known vulnerabilities. 1: there are some, or a package was not audited and `strict`."""
    pinned = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    today = f"{datetime.now(UTC).date()} {pinned}"
    if not strict and AUDITED.exists() and AUDITED.read_text() == today:
        return 0
    found = [option for file in files for option in ("--requirement", str(file))]
    # Each package is pinned with hashes, so nothing has to be resolved or built.
    options = ("--require-hashes", "--disable-pip", "--progress-spinner=off", "--format=json")
    run = run_module("pip_audit", *found, *options)
    try:
        dependencies = json.loads(run.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        say(f"not audited: the vulnerability service does not answer: {last_line(run.stderr)}")
        return int(strict)
    if not any("skip_reason" in package or package.get("vulns") for package in dependencies):
        AUDITED.parent.mkdir(exist_ok=True)
        AUDITED.write_text(today)
    return report_audit(dependencies, strict=strict)


def report_audit(dependencies: Sequence[Mapping[str, Any]], *, strict: bool) -> int:
    """Print what pip-audit has found, in its own JSON; gives the exit status."""
    for package in dependencies:
        for vulnerability in package.get("vulns", ()):
            fixed = ", ".join(vulnerability.get("fix_versions", ())) or "no version yet"
            say(f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in {fixed}")
    vulnerable = [package for package in dependencies if package.get("vulns")]
    skipped = [package["name"] for package in dependencies if "skip_reason" in package]
    audited = len(dependencies) - len(skipped)
    if strict or vulnerable or skipped:
        say(f"{audited} of {len(dependencies)} packages audited, {len(vulnerable)} with known vulnerabilities")
    if skipped:
        names = ", ".join(skipped) if strict else "`make audit` names them"
        say(f"not audited, because the service does not know them here: {names}")
    return int(bool(vulnerable) or (strict and bool(skipped)))


def list_newer(*, pip_options: Sequence[str] = ()) -> int:
    """Print which pinned packages have a newer version; the direct dependencies first. 2: no index could be asked."""
    run = run_module("pip", "list", "-o", "--format=json", "--disable-pip-version-check", *pip_options)
    try:
        newer = json.loads(run.stdout)
    except ValueError:
        say(f"no package index can be asked: {last_line(run.stderr)}")
        return 2
    direct = direct_dependencies()
    pinned = {name for file in (ROOT / "requirements").glob("*.txt") for name in names_in(file)}
    rows = [package for package in newer if normal(package["name"]) in pinned]
    for package in sorted(rows, key=lambda package: (normal(package["name"]) not in direct, normal(package["name"]))):
        kind = "direct  " if normal(package["name"]) in direct else "indirect"
        say(f"{kind}  {package['name']:<40} {package['version']:>12} -> {package['latest_version']}")
    say(
        f"{len(rows)} of {len(pinned)} pinned packages have a newer version; `make lock` takes what pyproject.toml allows"
    )
    return 0


def run_module(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment."""
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)


def direct_dependencies() -> set[str]:
    """The normal names of what the three pyproject.toml ask for."""
    wanted: list[str] = []
    for folder in DISTRIBUTIONS:
        file = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
        extras = (file["project"].get("optional-dependencies", {}), file.get("dependency-groups", {}))
        wanted += file["project"]["dependencies"]
        wanted += [each for groups in extras for group in groups.values() for each in group]
    return {normal(re.match(r"[\w.-]+", each)[0]) for each in wanted}


def names_in(requirements: Path) -> set[str]:
    """The normal names of the packages that a file pins."""
    return {normal(name) for name in re.findall(r"^([\w.-]+)==", requirements.read_text(), flags=re.MULTILINE)}


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "without a word")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
