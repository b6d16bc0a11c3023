"""The Dockerfile: sound, with nothing of this machine, and in step with the server that it starts."""

import json
import re
import shlex
import sys
from pathlib import Path

from portal.edge import UNGATED_PATHS
from portal_operate.management.commands.serve import Command
from tests.deploy.files import DOCKERFILE
from tests.support.harness import run_program

#: Each instruction as one line, with its continued lines.
INSTRUCTIONS = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE)).splitlines()


def instructions(name: str) -> list[str]:
    """What follows an instruction's name, of each of its kind."""
    return [line.removeprefix(f"{name} ").strip() for line in INSTRUCTIONS if line.startswith(f"{name} ")]


def test_its_linter_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    assert run_program(hadolint, "--failure-threshold", "style", DOCKERFILE).stdout == ""


def test_no_package_index_and_no_secret_is_in_it() -> None:
    text = DOCKERFILE.read_text()
    assert re.findall(r"https?://(?!127\.0\.0\.1)\S+|index-url|find-links", text) == []
    assert all("--require-hashes" in each for each in re.findall(r"pip [^&]*install [^&]*requirements/[^&]*", text))
    assert [name for name in re.findall(r"(?:ARG|ENV) (\w+)", text) if re.search("KEY|TOKEN|SECRET|URL", name)] == []


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
