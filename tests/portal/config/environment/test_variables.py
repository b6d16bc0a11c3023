"""The declared variables are those that the reader reads, and what they declare holds."""

import ast
import re
from pathlib import Path

import pytest

from portal.config.environment import VARIABLES, Secrecy, authentication, reader, single_variables
from portal.telemetry.metrics import worker_files
from tests.portal.config.environment.test_reader import PRODUCTION, PROVIDER
from tests.support.harness import ROOT

DECLARED = {variable.name for variable in VARIABLES}
#: A name, as it stands in code.
NAME = re.compile(r"[A-Z]+(_[A-Z]+)+|DEBUG")
#: What a variable needs beside it to be read.
NEEDS = {"APP_OIDC_CLIENT_ID": PROVIDER, "APP_OIDC_ISSUER": PROVIDER}
#: Their example is a file of another machine.
FILES = {"APP_API_CA_FILE", "APP_AUDIT_LOG"}


def test_a_variable_without_a_field_is_read_beside_another_or_by_its_library() -> None:
    strings = {
        node.value
        for module in (authentication, single_variables, worker_files)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)
    }
    # Those two have a field; messages and a default name them.
    assert strings - {"APP_AUDIT_LOG", "PORT_BASE"} == {variable.name for variable in VARIABLES if not variable.field}


@pytest.mark.parametrize(
    "variable", [each for each in VARIABLES if each.example and each.name not in FILES], ids=lambda each: each.name
)
def test_an_example_is_a_value_that_the_reader_takes(variable, monkeypatch, tmp_path) -> None:
    for name in DECLARED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(reader, "SOURCE_ROOT", tmp_path)
    for name, value in {**PRODUCTION, **NEEDS.get(variable.name, {}), variable.name: variable.example}.items():
        monkeypatch.setenv(name, value)
    reader.read_config("energy")


def test_django_environ_reads_env_file_alone() -> None:
    """Its numbers lose their letters, and it takes a value that begins with `$` for another variable's name."""
    files = [path for folder in ("packages/portal*", "apps") for path in ROOT.glob(f"{folder}/**/*.py")]
    assert {path.name for path in files if re.search("^(import|from) environ", path.read_text(), re.MULTILINE)} == {
        "reader.py"
    }
    assert Path(str(reader.__file__)).read_text().count("environ.Env") == 1


def test_no_variable_is_declared_twice_and_no_secret_has_an_example() -> None:
    assert len(DECLARED) == len(VARIABLES)
    assert [each.name for each in VARIABLES if each.secrecy is Secrecy.SECRET and each.example] == []
    assert [
        each.name
        for each in VARIABLES
        # An Idempotency-Key is no secret.
        if re.search("(?<!IDEMPOTENCY_)KEY$|TOKEN$|SECRET$", each.name) and each.secrecy is not Secrecy.SECRET
    ] == []
