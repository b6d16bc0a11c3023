"""Size of the project: lines of code by package and folder, of settings, and words.

A line of code has something other than white space, a comment or a docstring. Nothing is timed.

    ./manage.py bench code_size                     # this checkout
    ./manage.py bench code_size --root ../another   # another one, for example an older commit in a worktree
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.servers import ROOT

#: Tokens that do not make a line count.
_NO_CODE: Final = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
_MAY_HAVE_DOCSTRING: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count; this one's environment is used")
    parser.add_argument("--under", nargs="+", default=["."], metavar="FOLDER", help="count nothing else: .")
    options = options_of(parser, under=["benchmarks", "packages/sqlite_cache"])
    root, under = options.root.resolve(), options.under
    sizes = {path: size_of((root / path).read_text()) for path in _tracked(root, under, ".py")}
    _row("package", "files", "code")
    total = 0
    for package in sorted({path.parts[1] for path in sizes if path.match("packages/*/__init__.py")}):
        files = {path: size for path, size in sizes.items() if path.is_relative_to(f"packages/{package}")}
        code = sum(files.values())
        _row(package, len(files), code)
        total += code if package != "sandbox_api" else 0
        _print_folders(files, depth=2)
    _row("all without sandbox_api", "", total)
    for folder in ("benchmarks", "tests"):
        files = {path: size for path, size in sizes.items() if path.parts[0] == folder}
        _row(folder, len(files), sum(files.values()))
        _print_folders(files, depth=1)
    _row("lines of pyproject.toml", "", len((root / "pyproject.toml").read_text().splitlines()))
    _row("words of Markdown", "", sum(len((root / path).read_text().split()) for path in _tracked(root, under, ".md")))


def size_of(source: str) -> int:
    """Return the lines of code of one file's text."""
    docstrings: set[int] = set()
    code: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _MAY_HAVE_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docstrings)


def _tracked(root: Path, folders: list[str], ending: str) -> list[Path]:
    command = ["git", "ls-files", "-z", *(f"{folder}/*{ending}" for folder in folders)]
    names = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return [Path(name) for name in names.stdout.split("\0") if name and (root / name).is_file()]


def _print_folders(sizes: dict[Path, int], *, depth: int) -> None:
    code: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, size in sizes.items():
        name = path.parts[depth] if len(path.parts) > depth + 1 else "(its modules)"
        code[name] += size
        files[name] += 1
    for name, lines in code.most_common() if len(code) > 1 else ():
        _row(f"  {name}", files[name], lines)


def _row(name: str, *values: object) -> None:
    sys.stdout.write(f"{name:32}" + "".join(f"{value!s:>8}" for value in values) + "\n")


if __name__ == "__main__":
    main()
