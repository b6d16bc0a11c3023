"""What reads a block of data in the documentation, by its language: the program itself, or the reader that it has."""

import configparser
import json
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import yaml

from portal.config.environment import reader
from portal.config.environment.reader import complete_environment
from tests.portal.config.environment.test_reader import PRODUCTION
from tests.support.harness import ROOT, require_tool, run_program


def read_env(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read variables as a project does, from a `.env` file beside those that a deployment needs."""
    documented = (ROOT / "docs" / "reference" / "environment.md").read_text()
    given = re.findall(r"^(\w+)=", text, flags=re.MULTILINE)
    assert given != []
    unknown = [name for name in given if f"`{name}`" not in documented]
    assert unknown == [], f"not on the page of the environment: {unknown}"
    for name in (*given, *os.environ):
        if name in given or name.startswith("APP_"):
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(reader, "SOURCE_ROOT", folder)
    (folder / ".env").write_text(text)
    complete_environment(folder)
    assert [name for name in given if not os.environ[name]] == []
    reader.read_config("energy")


def read_yaml(text: str, *_: object) -> None:
    """One document or several, none of them empty."""
    assert all(yaml.safe_load_all(text))


def read_promql(text: str, folder: Path, *_: object) -> None:
    """One expression for each line that is not a comment."""
    expressions = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rules = [{"record": f"expression:{number}", "expr": each} for number, each in enumerate(expressions)]
    (folder / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "page", "rules": rules}]}))
    run_program(require_tool("promtool"), "check", "rules", folder / "rules.yml")


def read_nginx(text: str, folder: Path, *_: object) -> None:
    """Directives as they may stand in a server, or outside of one."""
    program = require_tool("nginx")
    head = f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    for around in ("http {{ {0} }}", "http {{ server {{ {0} }} }}", "http {{ server {{ location / {{ {0} }} }} }}"):
        (folder / "nginx.conf").write_text(head + around.format(f"\n{text}\n"))
        words = ("-t", "-c", folder / "nginx.conf", "-e", folder / "error.log")
        done = run_program(program, *words, status=None)
        if done.returncode == 0:
            return
    raise AssertionError(done.stderr)


READERS: Final[dict[str, Callable[[str, Path, pytest.MonkeyPatch], object]]] = {
    "env": read_env,
    "ini": lambda text, *_: configparser.ConfigParser().read_string(text),
    "json": lambda text, *_: [json.loads(line) for line in text.splitlines()] if "\n{" in text else json.loads(text),
    "nginx": read_nginx,
    "promql": read_promql,
    "yaml": read_yaml,
    "toml": lambda text, *_: tomllib.loads(text),
}
