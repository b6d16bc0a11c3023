"""Each command that a page names is there, with its options."""

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from portal.config.platforms import PLATFORMS
from portal_operate.program.entry import DEVELOPERS, PROGRAMS, SANDBOX, WORKSPACE_COMMANDS, split_app
from tests.support.doc_blocks import blocks_of, command_lines, named_commands, pages
from tests.support.harness import ROOT

#: What stands in a how-to for a name of one's own.
OWN_NAMES = {"logistics", "acme"}
APPS = {"auth_app", *(platform.app for platform in PLATFORMS)} | OWN_NAMES
#: `test-%` is a target for each app.
TARGETS = {
    target.replace("%", app)
    for makefile in (ROOT / "Makefile", ROOT / "packages/portal_dev/platforms/product_template/Makefile-tpl")
    for target in re.findall(r"^([a-z%-]+):", makefile.read_text(), flags=re.MULTILINE)
    for app in (*APPS, "APP")
}
#: Its own, and the one that writes its schema.
SANDBOX_COMMANDS = [
    Path(str(find_spec(package).origin)).parent / "management" / "commands"
    for package in ("sandbox_api", "drf_spectacular")
]
PLACEHOLDER = re.compile(r"[A-Z][A-Z ]*|…|<.*>")
ANYTHING = re.compile(r"[A-Za-z_]+=.*")


def fault_of(command: str) -> str | None:
    """What is wrong with a command; None if nothing is."""
    words = [word for word in shlex.split(re.sub(r"[][|]", " ", command)) if not ANYTHING.fullmatch(word)]
    program, *rest = words
    if program == "make":
        named = [word for word in rest if not word.startswith(("-", "/", "…"))]
        unknown = [word for word in named if word not in TARGETS]
        return f"the Makefile has no target {', '.join(unknown)}" if unknown else None
    app, rest = split_app(rest)
    if app is not None and app != SANDBOX and app not in APPS and not PLACEHOLDER.fullmatch(app):
        return f"there is no app {app}"
    if not rest or PLACEHOLDER.fullmatch(rest[0]):
        return None
    name, *options = rest
    known = options_of(name, app)
    if known is None:
        return f"there is no command {name}" if app else f"{name} needs --app"
    unknown = [word for word in options if word.startswith("--") and word.partition("=")[0] not in known]
    return f"{name} has no option {', '.join(unknown)}" if unknown and name not in PROGRAMS else None


def options_of(name: str, app: str | None) -> set[str] | None:
    """The options of a command; None if there is no such command in an app, or of the workspace."""
    if app is None and name not in WORKSPACE_COMMANDS:
        return None
    if name in PROGRAMS and app is None:
        return set()
    for file in [folder / f"{name}.py" for folder in SANDBOX_COMMANDS if app == SANDBOX]:
        if file.exists():
            # Its parser needs the sandbox's settings.
            return set(re.findall(r"""add_argument\(\s*["'](--[\w-]+)["']""", file.read_text()))
    commands = get_commands()
    if name not in commands or (name in WORKSPACE_COMMANDS.keys() - DEVELOPERS and app is not None):
        return None
    parser = load_command_class(commands[name], name).create_parser("manage.py", name)
    return {option for action in parser._actions for option in action.option_strings}


def commands_of(page: Path) -> Iterator[str]:
    yield from named_commands(page)
    for block in blocks_of(page):
        if block.language == "sh":
            lines = command_lines(block.code)
            yield from (line for line in lines if re.match(r"(\w+=\S+ )*(\./manage\.py|make) ", line))


def test_each_command_is_there_with_its_options() -> None:
    named = [(page.name, command) for page in pages() for command in commands_of(page)]
    assert len(named) > 60
    assert [(*each, fault) for each in named if (fault := fault_of(each[1]))] == []


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("./manage.py --app energy query_cache_size", "there is no command query_cache_size"),
        ("./manage.py --app energy serve --hots x", "serve has no option --hots"),
        ("./manage.py check", "check needs --app"),
        ("./manage.py --app nowhere check", "there is no app nowhere"),
        ("./manage.py --app sandbox_api seed --again", "seed has no option --again"),
        ("make test-nowhere", "the Makefile has no target test-nowhere"),
        ("./manage.py --app energy clear_query_cache [--endpoint KEY]", None),
    ],
)
def test_a_command_that_is_not_there_is_found(command: str, fault: str | None) -> None:
    assert fault_of(command) == fault
