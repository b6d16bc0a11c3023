"""The drawings of the folders and of the layers are those of the code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from tests.support.doc_blocks import blocks_of
from tests.support.harness import ROOT

PAGE = ROOT / "docs" / "explanation" / "architecture.md"
PORTAL = ROOT / "packages" / "portal"


def drawing(beginning: str) -> list[str]:
    (block,) = [block for block in blocks_of(PAGE) if block.code.startswith(beginning)]
    return block.code.splitlines()


def drawn_paths() -> Iterator[str]:
    """The files and folders of the drawing, as paths from the root."""
    above: list[str] = []
    for line in drawing("manage.py  "):
        indent = len(line) - len(line.lstrip())
        names = re.split(r"\s{3,}", line.strip())[0].replace("…", "").split()
        if indent > 4:
            continue  # the line before goes on
        above = above[: indent // 2]
        yield from ("/".join([*above, name.rstrip("/")]) for name in names)
        if len(names) == 1 and names[0].endswith("/"):
            above.append(names[0].rstrip("/"))


def test_each_file_and_folder_of_the_drawing_is_there() -> None:
    paths = list(drawn_paths())
    assert len(paths) > 30
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_each_package_and_module_of_portal_is_drawn() -> None:
    here = {path.name for path in PORTAL.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    drawn = {path.removeprefix("packages/portal/") for path in drawn_paths() if path.startswith("packages/portal/")}
    assert here - drawn == {"__init__.py"}


def test_the_layers_are_those_of_the_import_contract() -> None:
    layers = tomllib.loads((ROOT / "layers.toml").read_text())["modules"]["portal"]
    drawn = [line for line in drawing("portal_dev  ") if "a package of its own" not in line]
    assert [set(line.split(" · ")) for line in drawn] == [set(layer.split(" | ")) for layer in layers]
