"""Drawings of the folders and of the layers: they are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.doc_blocks import blocks_of
from tests.support.harness import ROOT

PAGE = ROOT / "docs" / "explanation" / "architecture.md"
PACKAGES = ROOT / "packages"


def drawing(beginning: str) -> str:
    (block,) = [block for block in blocks_of(PAGE) if block.code.startswith(beginning)]
    return block.code


@pytest.mark.parametrize(("folder", "indent"), [(PACKAGES, 2), (PACKAGES / "portal", 4)])
def test_each_package_and_module_is_drawn(folder: Path, indent: int) -> None:
    here = {path.name for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    drawn = re.findall(rf"^ {{{indent}}}(\w+(?:\.py|/)) ", drawing("manage.py  ").partition("\napps/")[0], re.MULTILINE)
    assert {name.rstrip("/") for name in drawn} == here - {"__init__.py", "setup.py"}


def test_layers_are_those_of_the_import_contract() -> None:
    layers = tomllib.loads((ROOT / "layers.toml").read_text())["modules"]["portal"]
    drawn = [line for line in drawing("portal_dev  ").splitlines() if "a package of its own" not in line]
    assert [set(line.split(" · ")) for line in drawn] == [set(layer.split(" | ")) for layer in layers]
