"""The Dockerfile: sound, with nothing of this machine, and in step with the server that it starts."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from portal.config.projects import PROJECT_BY_APP
from portal.edge import UNGATED_PATHS
from portal_operate.management.commands.serve import Command
from tests.deploy.files import DOCKERFILE
from tests.support.harness import ROOT

#: Each instruction as one line, with its continued lines.
INSTRUCTIONS = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE)).splitlines()


def instructions(name: str) -> list[str]:
    """What follows an instruction's name, of each of its kind."""
    return [line.removeprefix(f"{name} ").strip() for line in INSTRUCTIONS if line.startswith(f"{name} ")]


def test_its_linter_finds_nothing() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("hadolint"), "--failure-threshold", "style", DOCKERFILE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_no_package_index_and_no_secret_is_in_it() -> None:
    text = DOCKERFILE.read_text()
    assert re.findall(r"https?://(?!127\.0\.0\.1)\S+|index-url|find-links", text) == []
    assert all("--require-hashes" in each for each in re.findall(r"pip [^&]*install [^&]*requirements/[^&]*", text))
    assert [name for name in re.findall(r"(?:ARG|ENV) (\w+)", text) if re.search("KEY|TOKEN|SECRET|URL", name)] == []


def left_out(path: str) -> bool:
    """Whether .dockerignore leaves a file out: the last pattern that fits decides."""
    out = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        parts = [path, *map(str, Path(path).parents)]
        if any(
            fnmatch.fnmatch(part, pattern) or fnmatch.fnmatch(f"/{part}", pattern.replace("**", "*")) for part in parts
        ):
            out = not line.startswith("!")
    return out


def test_what_it_copies_is_sent_to_it_and_nothing_else_is() -> None:
    copied = [words.split()[:-1] for words in instructions("COPY") if not words.startswith("--from")]
    sources = [source for words in copied for source in words]
    assert sources == ["requirements", "pyproject.toml", "setup.py", "README.md", "packages", "apps"]
    assert all((ROOT / source).exists() for source in sources)
    kept = ["pyproject.toml", "requirements/apps.txt", "packages/portal/web/templates/portal/base.html"]
    assert [path for path in kept if left_out(path)] == []
    gone = [".env", ".git/config", ".venv/bin/python", ".state/x", "tests/x.py", "deploy/compose/secrets/jwt_key"]
    gone += ["packages/portal/__pycache__/x.pyc", "apps/energy/.env"]
    assert [path for path in gone if not left_out(path)] == []


def test_it_runs_as_a_number_that_is_not_roots() -> None:
    (user,) = instructions("USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    (folders,) = [run for run in instructions("RUN") if "/var/lib" in run]
    owner, group = user.split(":")
    assert f"-o {owner} -g {group}" in folders


def test_it_prepares_each_app_as_the_command_that_it_runs() -> None:
    (line,) = [run for run in instructions("RUN") if "--only-prepare" in run]
    told = line.replace("portal --app", "echo").replace("python3", sys.executable)
    done = subprocess.run(["sh", "-euc", told], cwd=ROOT / "packages", capture_output=True, text=True, check=True)
    words = [said.split() for said in done.stdout.splitlines()]
    assert [app for app, *_ in words] == list(PROJECT_BY_APP)
    for _, command, *options in words:
        assert command == "serve"
        assert Command().create_parser("portal", "serve").parse_args(options).only_prepare


def test_its_command_is_one_that_the_server_takes_and_its_health_is_asked_at_a_page_that_there_is() -> None:
    (command,) = instructions("CMD")
    shell, option, line = json.loads(command)
    assert (shell, option) == ("sh", "-c")
    environment = dict(re.findall(r"(\w+)=(\S+)", instructions("ENV")[-1]))
    text = re.sub(r"\$\{(\w+)\}", lambda name: environment[name[1]], line)
    words = shlex.split(text)
    assert words[:5] == ["exec", "portal", "--app", "auth_app", "serve"]
    parsed = Command().create_parser("portal", "serve").parse_args(words[5:])
    assert (parsed.host, parsed.port, parsed.workers, parsed.threads) == ("0.0.0.0", 8000, 2, 8)
    assert instructions("EXPOSE") == ["8000"]
    assert environment["DEBUG"] == "off"
    (check,) = [line for line in INSTRUCTIONS if line.startswith("HEALTHCHECK")]
    program = json.loads(check[check.index("CMD ") + 4 :])
    assert program[:2] == ["python3", "-c"]
    assert "http://127.0.0.1:8000/healthz" in program[2]
    assert "/healthz" in UNGATED_PATHS
    compile(program[2], "HEALTHCHECK", "exec")
