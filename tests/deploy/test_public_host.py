"""What a public host reads: valid by its schemas, with no more rights than it needs, and in step with what it runs."""

import re
from pathlib import Path
from typing import Any

import check_jsonschema
import pytest
import yaml

from tests.deploy.files import COMPOSE
from tests.support.harness import ROOT, run_program

WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
DEPENDABOT = ROOT / ".github" / "dependabot.yml"
JOBS: dict[str, dict[str, Any]] = yaml.safe_load(WORKFLOW.read_text())["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", WORKFLOW),
        ("custom.github-workflows-require-timeout", WORKFLOW),
        ("vendor.dependabot", DEPENDABOT),
        ("vendor.compose-spec", COMPOSE / "compose.yaml"),
    ],
)
def test_a_file_is_valid_by_its_schema(schema: str, file: Path) -> None:
    # It needs a second to start as a process.
    with pytest.raises(SystemExit) as ended:
        check_jsonschema.main(["--builtin-schema", schema, str(file)])
    assert ended.value.code == 0


def test_its_jobs_may_read_and_nothing_else_and_each_action_is_pinned_by_a_commit() -> None:
    text = WORKFLOW.read_text()
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert [name for name, job in JOBS.items() if "permissions" in job] == []
    assert "secrets." not in text
    actions = re.findall(r"uses: (.*)", text)
    assert actions
    assert [each for each in actions if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each)] == []
    assert text.count("persist-credentials: false") == text.count("actions/checkout@")


def test_no_command_takes_a_text_of_the_event_into_a_shell() -> None:
    assert [command for command in COMMANDS if re.search(r"\$\{\{", command)] == []
    for command in COMMANDS:
        run_program("bash", "-n", input=command)
