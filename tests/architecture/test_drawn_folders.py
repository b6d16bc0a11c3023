"""The docstring of a package that draws its folder draws all of it, and nothing else."""

import ast
import re
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
DRAWING = re.compile(r"::\n\n((?:(?: +.*)?\n)+)")
#: What a line of a drawing begins with: names of modules and folders.
NAMES = re.compile(r"^[^\w\n]*([a-z_]\w*/?(?:(?: · |, )[a-z_]\w*/?)*)(?: {2,}|$)", re.MULTILINE)


TEXTS = {path: f"{ast.get_docstring(ast.parse(path.read_text()))}\n" for path in sorted(PACKAGES.rglob("__init__.py"))}


def drawn_in(drawing: str) -> set[str]:
    return {name for names in NAMES.findall(drawing) for name in re.findall(r"\w+", names)}


DRAWN = [path for path, text in TEXTS.items() if (drawing := DRAWING.search(text)) and drawn_in(drawing[1])]


@pytest.mark.parametrize("interface", DRAWN, ids=[str(interface.parent.relative_to(PACKAGES)) for interface in DRAWN])
def test_a_package_draws_exactly_what_its_folder_has(interface: Path) -> None:
    text = TEXTS[interface]
    modules = {path.stem for path in interface.parent.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.name for path in interface.parent.iterdir() if any(path.rglob("*.py"))}
    # Django finds `apps` by its name, so it may be left out.
    assert sorted((modules | folders) - set(re.findall(r"\w+", text)) - {"apps"}) == []
    assert sorted(drawn_in(DRAWING.search(text)[1]) - modules - folders) == []


def test_most_packages_draw_their_folder() -> None:
    assert len(DRAWN) > 0.6 * len(TEXTS)
