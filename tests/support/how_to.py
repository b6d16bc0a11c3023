"""Follows a how-to in a copy of the checkout, to the letter.

A step names a file in backticks, and a block of code follows it:

- a `diff` block changes the file: its lines without `+` stand in the file once, one after the other;
- a block in another language is a whole new file; without a file's name before it, it only shows something;
- an `sh` block is run, line by line; `> file` keeps what is printed.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

from tests.support.checkout_copy import in_copy, run

_STEP = re.compile(
    r"(?:`(?P<file>[\w./-]+)`[^`\n]*\n\n)?(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)\n *```", re.DOTALL
)


class HowToError(AssertionError):
    """A step can't be followed; the message says which, and why."""


def follow(text: str, copy: Path) -> list[str]:
    """Follow every step of a page, or of a part of one; gives the files that it names.

    :raises HowToError: a step does not fit the checkout.
    """
    named = []
    for step in _STEP.finditer(text):
        file, language = step["file"], step["language"]
        code = textwrap.dedent(step["code"])
        if language == "sh":
            _run(copy, code)
            continue
        if file is None:
            continue
        named.append(file)
        if language == "diff":
            _change(copy / file, code, file)
        else:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            (copy / file).write_text(code + "\n")
    return named


def section(page: Path, heading: str) -> str:
    """One part of a page: from its heading to the next of the same depth."""
    text = page.read_text()
    found = re.search(rf"^(#+) {re.escape(heading)}\n", text, flags=re.MULTILINE)
    if found is None:
        raise HowToError(f"{page.name} has no heading {heading!r}")
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, flags=re.MULTILINE)
    return rest[: end.start()] if end else rest


def _change(path: Path, diff: str, name: str) -> None:
    lines = diff.split("\n")
    old = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    new = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    text = path.read_text()
    if text.count(old) != 1:
        raise HowToError(f"{name} has these lines {text.count(old)} times, not once:\n{old}")
    path.write_text(text.replace(old, new))


def _run(copy: Path, code: str) -> None:
    for line in code.split("\n"):
        command, _, file = line.partition(" > ")
        words = shlex.split(command, comments=True)
        variables = {}
        while words and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        if not words:
            continue
        if words.pop(0) != ".venv/bin/python":
            raise HowToError(f"only .venv/bin/python is run: {line}")
        done = run(copy, *words, variables=in_copy(copy, **variables))
        if done.returncode:
            raise HowToError(f"{line}: {done.stdout}{done.stderr}")
        if file:
            (copy / file).write_text(done.stdout)
