"""The pages of a team stay small: a list with filters, ranges, relations and a file, in under 60 lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.harness import ROOT

#: Lines of a list: its declaration, what belongs to its rows, and the template of its columns.
MOST_LINES = 60
#: Lines of an overview: the view and its template.
MOST_OVERVIEW_LINES = 180


class ListSize(NamedTuple):
    """A list that an app declares.

    :param path: of its pages.
    :param lines: of the calls of `ListView` and `DetailView` without what people do with a row, and of the template.
    """

    path: str
    lines: int


def lines_of(node: ast.AST) -> int:
    """The lines that a piece of code has."""
    assert isinstance(node, ast.expr)
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def named(call: ast.Call, name: str) -> ast.expr | None:
    """The argument of that name."""
    return next((each.value for each in call.keywords if each.arg == name), None)


def declared_lists() -> Iterator[ListSize]:
    """All lists of the apps."""
    for module in sorted(ROOT.glob("apps/*/views/*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.func.id != "resource_pages":
                continue
            listed, detail = named(node, "list"), named(node, "detail")
            if not isinstance(listed, ast.Call):
                continue
            path = ast.literal_eval(node.args[0])
            folder = path.rpartition("/")[2].replace("-", "_")
            (template,) = module.parents[1].glob(f"templates/*/{folder}/list.html")
            lines = lines_of(listed) + len(template.read_text().splitlines())
            yield ListSize(path, lines + (lines_of(detail) if isinstance(detail, ast.Call) else 0))


def test_a_list_with_all_that_it_can_is_a_declaration_and_a_template_of_columns() -> None:
    sizes = list(declared_lists())
    assert len(sizes) >= 7, sizes
    assert [size for size in sizes if size.lines >= MOST_LINES] == []


def test_an_overview_stays_as_small_as_what_only_its_app_knows() -> None:
    overviews = sorted(ROOT.glob("apps/*/views/overview.py"))
    assert len(overviews) >= 3

    def size(view: Path) -> int:
        app = view.parents[1]
        template = app / "templates" / app.name / "overview.html"
        return sum(len(path.read_text().splitlines()) for path in (view, template))

    assert {view.parents[1].name: size(view) for view in overviews if size(view) >= MOST_OVERVIEW_LINES} == {}
