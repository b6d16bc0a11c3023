"""The commands of the how-tos for containers name files, arguments and objects that there are. No engine runs them here."""

import re
import shlex

import pytest

import portal
from tests.deploy.files import DOCKERFILE
from tests.support.doc_blocks import Block, blocks_of, command_lines
from tests.support.harness import ROOT, run_program

PAGES = [ROOT / "docs" / "how-to" / f"deploy-{name}.md" for name in ("with-containers", "on-kubernetes")]
BLOCKS: list[Block] = [block for page in PAGES for block in blocks_of(page) if block.language == "sh"]
COMMANDS = [line for block in BLOCKS for line in command_lines(block.code)]
#: What step 2 of the page on Kubernetes copies, and to where.
EXAMPLE, COPY = "deploy/kubernetes/overlays/example", "deploy/kubernetes/overlays/production"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_one_that_a_shell_understands_and_its_files_are_there(command: str) -> None:
    run_program("bash", "-n", input=command)
    words = shlex.split(command)
    assert words[0] in {"docker", "kubectl", "cp", "deploy/compose/make-secrets"}
    for file in re.findall(r"(?<!\S)deploy/\S+", command.replace(COPY, EXAMPLE)):
        assert (ROOT / file).exists(), file


def test_the_image_is_built_with_arguments_that_it_has() -> None:
    (build,) = [command for command in COMMANDS if command.startswith("docker build")]
    known = set(re.findall(r"^ARG (\w+)", DOCKERFILE.read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"--build-arg (\w+)=", build)) <= known
    table = set(re.findall(r"`([A-Z_]+)`", re.search(r"\| argument \|(?:.*\n)+?\n", PAGES[0].read_text())[0]))
    assert table == known
    assert f"VERSION={portal.__version__}" in build
    assert f"/portal:{portal.__version__}" in build
