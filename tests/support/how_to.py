"""Follows a how-to in a copy of the checkout that has an environment, to the letter.

A step names a file in backticks, and a block of code follows it:

- a `diff` block changes the file: its lines without `+` stand in the file once, one after the other;
- a `po` block translates texts that the catalog has without a translation;
- a block in another language is a whole new file; without a file's name before it, it only shows something;
- an `sh` block is run as it would be typed, in a shell without an activated environment. One that starts all servers
  until Ctrl-C is not run.
"""

import re
import textwrap
from collections.abc import Collection, Iterable
from pathlib import Path

from tests.support.linked_environment import run_typed

#: What is typed into a command that asks for something: a password.
TYPED = "a long enough password"
_STEP = re.compile(
    r"(?:`(?P<file>[\w./-]+)`[^`\n]*\n\n)?(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)\n *```", re.DOTALL
)
CATALOGS = "```sh\n./manage.py --app auth_app update_catalogs\n```"
_CATALOGS = re.compile(r" *```sh\n *./manage\.py --app \w+ update_catalogs\n *```")
_SERVERS = re.compile(r"(APP_DEBUG_TOOLBAR=on )?make dev")


class HowToError(AssertionError):
    """A step can't be followed; the message says which, and why."""


def follow(text: str, copy: Path, *, later: Collection[str] = ()) -> list[str]:
    """Follow every step of a page, or of a part of one; gives the files that it names.

    :param later: command lines that the caller runs.
    :raises HowToError: a step does not fit the checkout.
    """
    named = []
    for step in _STEP.finditer(text):
        file, language = step["file"], step["language"]
        code = textwrap.dedent(step["code"])
        if language == "sh":
            if (
                code not in later
                and not _SERVERS.fullmatch(code)
                and (done := run_typed(code, folder=copy, answer=TYPED)).returncode
            ):
                raise HowToError(f"{code}: {done.stdout}{done.stderr}")
            continue
        if file is None:
            continue
        named.append(file)
        if language == "diff":
            _change(copy / file, code, file)
        elif language == "po":
            _translate(copy / file, code, file)
        else:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            (copy / file).write_text(code + "\n")
    return named


def follow_all(texts: Iterable[str], copy: Path, *, later: Collection[str] = ()) -> None:
    """Follow pages whose changes do not meet, with one run of `update_catalogs` for all: it does the same for each app.

    A page is followed up to that command, then all go on behind it.
    """
    halves = [_CATALOGS.split(text, maxsplit=1) for text in texts]
    for text in (*(before for before, *_ in halves), CATALOGS, *(each for _, *after in halves for each in after)):
        follow(text, copy, later=later)


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


def _translate(path: Path, entries: str, name: str) -> None:
    for text, translation in re.findall(r"^msgid (.+)\nmsgstr (.+)$", entries, flags=re.MULTILINE):
        _change(path, f' msgid {text}\n-msgstr ""\n+msgstr {translation}', name)
