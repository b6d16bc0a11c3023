"""Each typical mistake is made in a copy of this checkout, and told where and in the words that the page promises."""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.mistakes.made import ADDED, FILES, HIDING, SCHEMA
from tests.support.checkout_copy import copy_caches, copy_of_checkout, in_copy, run
from tests.support.harness import ROOT
from tests.support.nested_pytest import run_app_tests_in_copy
from tests.typing.test_typing import MARKED, WRONG

#: Path and line, to what is said there.
Messages = dict[tuple[str, int], str]

#: Who tells a mistake, as the page names them.
MYPY, EDITOR, RUFF, IMPORTS, CHECK, SERVICES, TESTS = "mypy", "editor", "ruff", "imports", "check", "schema", "test"
#: The rows of the page: a number, who tells the mistake, and each one's words of the message.
TOLD = [
    (int(number), teller, words.strip("` "))
    for number, tellers, all_words in re.findall(
        r"^\| (\d+) \| .* \| ([a-z, ]+) \| (.*) \|$",
        (ROOT / "docs" / "reference" / "mistakes.md").read_text(),
        flags=re.MULTILINE,
    )
    for teller, words in zip(tellers.split(", "), all_words.split("<br>"), strict=True)
]
ALL_FILES = FILES | HIDING
WRONG_CODE = [name for name in ALL_FILES if "/wrong_" in name and name.endswith(".py")]
#: Those that type checkers read: an app's views have types as well, but their mistakes are others.
TYPED = [name for name in WRONG_CODE if "/services/" in name]


def marked(number: int, teller: str) -> set[tuple[str, int]]:
    """The lines in which a mistake is made that this one should tell."""
    return {
        (name, line)
        for name, text in ALL_FILES.items()
        for line, row in enumerate(text.splitlines(), start=1)
        for mark in re.finditer(r"mistake (\d+)(?: \(([\w ]+)\))?(?!\w)", row)
        if int(mark[1]) == number and mark[2] in {None, teller}
    }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with all mistakes."""
    folder = copy_of_checkout(tmp_path_factory.mktemp("mistakes") / "copy")
    for name, text in ALL_FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, text in ADDED.items():
        (folder / name).write_text((folder / name).read_text() + text)
    for name in ("settings.py", "apps/finance/conftest.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    shutil.copytree(ROOT / "tests" / "typing", folder / "tests" / "typing", ignore=shutil.ignore_patterns("test_*"))
    copy_caches(folder)
    return folder


@cache
def output_of_mypy(copy: Path) -> str:
    """Return what mypy tells of the mistakes, and of the uses of hooks in `tests/typing`."""
    output = run(copy, "-m", "mypy", *TYPED, "tests/typing", variables=in_copy(copy)).stdout
    assert "INTERNAL ERROR" not in output, "a declaration that raises is not mypy's end"
    return output


def told_by_mypy(copy: Path) -> Messages:
    output = output_of_mypy(copy)
    return _by_line(re.findall(r"^(\S+?):(\d+): (?:error|note): (.*)$", output, flags=re.MULTILINE))


def told_by_basedpyright(copy: Path) -> Messages:
    """With the settings that an editor reads."""
    command = ("-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *TYPED)
    found = json.loads(run(copy, *command, variables=in_copy(copy)).stdout)["generalDiagnostics"]
    return _by_line(
        (Path(each["file"]).relative_to(copy), each["range"]["start"]["line"] + 1, each["message"])
        for each in found
        if each["severity"] == "error"
    )


def told_by_ruff(copy: Path) -> Messages:
    output = run(copy, "-m", "ruff", "check", "--output-format", "concise", *WRONG_CODE, variables=in_copy(copy)).stdout
    return _by_line(re.findall(r"^(\S+?):(\d+):\d+: (.*)$", output, flags=re.MULTILINE))


def told_by_contracts(copy: Path) -> Messages:
    tool = str(Path(sys.executable).with_name("lint-imports"))
    output = run(copy, tool, variables=in_copy(copy)).stdout
    found = []
    _, *parts = re.split(r"^(.+)\n-{4,}\n", output.partition("Broken contracts")[2], flags=re.MULTILINE)
    for contract, broken in zip(parts[::2], parts[1::2], strict=True):
        lines = re.findall(r"(apps\.finance\.\S+) -> \S+ \(l\.(\d+)\)", broken)
        found += [(f"{module.replace('.', '/')}.py", line, contract) for module, line in lines]
    return _by_line(found)


@contextmanager
def without_what_hides(copy: Path) -> Iterator[None]:
    for name in HIDING:
        (copy / name).unlink()
    try:
        yield
    finally:
        for name, text in HIDING.items():
            (copy / name).write_text(text)


def told_by_check(copy: Path) -> Messages:
    return checked(copy, "finance") | checked(copy, "energy")


def told_by_check_services(copy: Path) -> Messages:
    with without_what_hides(copy):
        output = run(copy, "manage.py", "check_services", "--schema", SCHEMA, variables=in_copy(copy)).stdout
    return _by_line(re.findall(r"^(\S+?):(\d+): (.*)$", output, flags=re.MULTILINE))


@cache
def checked(copy: Path, app: str) -> Messages:
    """Return what the checks of an app tell."""
    done = run(copy, "manage.py", "--app", app, "check", variables=in_copy(copy, DEBUG="on"))
    assert done.returncode == 1, done.stdout + done.stderr
    return _by_line(re.findall(r"^(\S+?):(\d+): \(portal\.[\w.]+\) (.*(?:\n\t.*)*)", done.stderr, flags=re.MULTILINE))


TELLERS: dict[str, Callable[[Path], Messages]] = {
    MYPY: cache(told_by_mypy),
    EDITOR: cache(told_by_basedpyright),
    RUFF: cache(told_by_ruff),
    IMPORTS: cache(told_by_contracts),
    CHECK: cache(told_by_check),
    SERVICES: cache(told_by_check_services),
}


def _by_line(found) -> Messages:
    messages: Messages = {}
    for name, line, text in found:
        place = str(name), int(line)
        messages[place] = f"{messages.get(place, '')}\n{text}"
    return messages


@pytest.mark.parametrize(
    ("number", "teller", "words"),
    [(number, teller, words) for number, teller, words in TOLD if teller != TESTS],
)
def test_it_is_told_in_its_line_in_these_words(copy: Path, number: int, teller: str, words: str) -> None:
    messages = TELLERS[teller](copy)
    lines = marked(number, teller)
    assert lines, "it is made somewhere"
    assert lines <= messages.keys(), messages
    assert any(words in messages[line] for line in lines), [messages[line] for line in lines]


@pytest.fixture(scope="module")
def test_run(copy: Path) -> str:
    """What the team's own tests print, a line for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "1000")
        return run_app_tests_in_copy(copy, "finance").stdout


@pytest.mark.parametrize(("number", "words"), [(number, words) for number, teller, words in TOLD if teller == TESTS])
def test_a_test_of_the_page_fails_with_these_words(test_run: str, number: int, words: str) -> None:
    (line,) = re.findall(rf"^(?:FAILED|ERROR) \S+test_mistake\[{number}-\w+\] - (.*)$", test_run, flags=re.MULTILINE)
    assert words in line


def test_mypy_takes_right_uses_of_hooks_alone(copy: Path) -> None:
    found = re.findall(r"^tests/typing/(\w+\.py):(\d+): error:", output_of_mypy(copy), flags=re.MULTILINE)
    assert {(name, int(line)) for name, line in found} == {(WRONG.name, line) for line in MARKED}


def test_apps_are_told_their_own_faults_alone(copy: Path) -> None:
    assert {name for name, _ in checked(copy, "energy")} == HIDING.keys()
    assert not {name for name, _ in checked(copy, "finance")} & HIDING.keys()


def test_the_page_has_every_mistake_that_is_made_here() -> None:
    made = {int(number) for text in ALL_FILES.values() for number in re.findall(r"mistake[ _](\d+)", text)}
    assert made == {number for number, *_ in TOLD} == set(range(1, 31))
