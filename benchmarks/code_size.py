"""How large the project is: lines of code of each package and folder, what a serving process loads, contracts, words.

A line of code has something other than white space, a comment or a docstring. Nothing is timed.

    ./manage.py bench code_size                     # this checkout
    ./manage.py bench code_size --root ../another   # another one, for example an older commit in a worktree

How many files and functions a page takes is counted by `./manage.py bench walks`.
"""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.harness.options import options_of, parser_of

ROOT: Final = Path(__file__).resolve().parents[1]
#: What has no code: its tokens do not make a line count.
_NO_CODE: Final = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_MAY_HAVE_DOCSTRING: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
#: What a worker of the energy app has loaded once each of its pages can be found.
_SERVE: Final = """
import json, sys
import apps.energy.wsgi
from django.urls import get_resolver
get_resolver().url_patterns
print(json.dumps([module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]))
"""


class Size(NamedTuple):
    """Lines of one file, or of several."""

    code: int
    imports: int


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count; this one's environment is used")
    root = options_of(parser).root.resolve()
    sizes = {path: size_of(path.read_text()) for path in _tracked(root, "*.py")}
    _tell_packages(root, sizes, _loaded(root))
    _tell_folders("tests", root, sizes)
    _tell_rest(root, sizes)


def size_of(source: str) -> Size:
    """The lines of one file's text."""
    tree = ast.parse(source)
    docstrings: set[int] = set()
    imports: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _IMPORTS):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, _MAY_HAVE_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return Size(len(code - docstrings), len(imports))


def _tracked(root: Path, pattern: str) -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=root, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    return [root / name for name in names if name and (root / name).is_file()]


def _loaded(root: Path) -> set[Path]:
    """The files of the checkout that a serving process has loaded."""
    variables = {"PATH": os.environ["PATH"], "DEBUG": "on", "APP_DEBUG_TOOLBAR": "off", "PORTAL_APP": "energy"}
    variables |= {"PYTHONPATH": f"{root}{os.pathsep}{root / 'packages'}"}
    served = subprocess.run(
        [sys.executable, "-c", _SERVE], cwd=root, env=variables, check=True, capture_output=True, text=True
    )
    return {Path(name).resolve() for name in json.loads(served.stdout.splitlines()[-1])}


def _tell_packages(root: Path, sizes: dict[Path, Size], loaded: set[Path]) -> None:
    _row("package", "files", "code", "imports", "loaded by a worker")
    total = 0
    for package in sorted(path for path in (root / "packages").iterdir() if (path / "__init__.py").exists()):
        files = {path: size for path, size in sizes.items() if path.is_relative_to(package)}
        code = sum(size.code for size in files.values())
        serving = sum(size.code for path, size in files.items() if path.resolve() in loaded)
        imports = sum(size.imports for size in files.values())
        _row(package.name, len(files), code, f"{imports / code:.0%}", f"{serving / code:.0%}")
        total += code if package.name != "sandbox_api" else 0
        _tell_folders(f"packages/{package.name}", root, sizes, heading=False)
    _row("all without sandbox_api", "", total, "", "")


def _tell_folders(folder: str, root: Path, sizes: dict[Path, Size], *, heading: bool = True) -> None:
    code: Counter[str] = Counter()
    files: defaultdict[str, int] = defaultdict(int)
    for path, size in sizes.items():
        if path.is_relative_to(root / folder):
            parts = path.relative_to(root / folder).parts
            name = parts[0] if len(parts) > 1 else "(its modules)"
            code[name] += size.code
            files[name] += 1
    if heading:
        _row(folder, sum(files.values()), code.total(), "", "")
    for name, lines in code.most_common() if len(code) > 1 else ():
        _row(f"  {name}", files[name], lines, "", "")


def _tell_rest(root: Path, sizes: dict[Path, Size]) -> None:
    tracked = [path.relative_to(root / "packages/portal") for path in _tracked(root, "packages/portal")]
    entries = {path.parts[0] for path in tracked} - {"__init__.py", "py.typed"}
    words = sum(len(path.read_text().split()) for path in _tracked(root, "*.md"))
    _row("entries of packages/portal", "", len(entries), "", "")
    _row("lines of import contracts", "", len((root / "layers.toml").read_text().splitlines()), "", "")
    _row("words of Markdown", "", words, "", "")
    _row("longest module", "", max(size.code for size in sizes.values()), "", "")


def _row(name: str, *values: object) -> None:
    sys.stdout.write(f"{name:32}" + "".join(f"{value!s:>8}" for value in values) + "\n")


if __name__ == "__main__":
    main()
