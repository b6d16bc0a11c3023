"""What a real bash completes after `./manage.py`, with the function that `completion` prints for it."""

from __future__ import annotations

import subprocess

import pytest

from portal.config.projects import PROJECTS
from portal_operate.program.completion import command_places
from portal_operate.program.entry import SANDBOX, WORKSPACE_COMMANDS
from tests.support.harness import ROOT, clean_environment, require_tool, with_own

APPS = {project.app for project in PROJECTS} | {SANDBOX}
#: What bash does when Tab is pressed behind the line: it sets these variables and calls the function of the program.
PRESS_TAB = r"""
eval "$(./manage.py completion bash)"
while IFS= read -r COMP_LINE; do
    COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
    read -ra COMP_WORDS <<< "$COMP_LINE"
    [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    _python_argcomplete ./manage.py "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[*]}"
done
"""


def completed(*lines: str) -> list[set[str]]:
    """What is offered behind each of these lines."""
    done = subprocess.run(
        [require_tool("bash"), "-c", PRESS_TAB],
        cwd=ROOT,
        env=with_own(clean_environment(DEBUG="on")),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == ""
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_the_commands_of_an_app_are_ours_and_djangos_that_work_here() -> None:
    names = command_places("energy").keys()
    assert {"doctor", "serve", "explain_route", "check", "shell", "collectstatic", "runserver"} <= names
    assert not names & {"migrate", "makemigrations", "dbshell", "startapp", *WORKSPACE_COMMANDS}
    assert {"seed", "serve", "create_account", "migrate"} <= command_places(SANDBOX).keys()


def test_apps_commands_and_options_are_completed() -> None:
    apps, one, commands, of_an_app, options, values = completed(
        "./manage.py --app ",
        "./manage.py --app fin",
        "./manage.py ",
        "./manage.py --app energy do",
        "./manage.py --app energy query_cache_stats --us",
        "./manage.py doctor --app oper",
    )
    assert apps == APPS
    assert one == {"finance"}
    assert commands == set(WORKSPACE_COMMANDS)
    assert of_an_app == {"doctor"}
    assert options == {"--users"}
    assert values in ({"operations"}, set()), "a command that needs an app is not known before it"


@pytest.mark.parametrize(("shell", "word"), [("zsh", "compdef"), ("fish", "complete --command manage.py")])
def test_other_shells_have_theirs(shell: str, word: str) -> None:
    done = subprocess.run(["./manage.py", "completion", shell], cwd=ROOT, capture_output=True, text=True, check=True)
    assert word in done.stdout
