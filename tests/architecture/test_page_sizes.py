"""The pages of a team stay small: a list with filters, ranges, relations and a file, in under 60 lines."""

import ast

from tests.support.harness import ROOT

#: Lines of a list: its declaration, what belongs to its rows, and its template, where it has one of its own.
MOST_LINES = 60
#: Lines of an overview: the view and its template.
MOST_OVERVIEW_LINES = 180


def test_a_list_with_all_that_it_can_is_a_declaration_and_at_most_a_template() -> None:
    sizes = {}
    for module in ROOT.glob("apps/*/views/*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "resource_pages":
                given = {each.arg: each.value for each in node.keywords}
                calls = [each for each in (given.get("list"), given.get("detail")) if isinstance(each, ast.Call)]
                folder = ast.literal_eval(node.args[0]).rpartition("/")[2].replace("-", "_")
                lines = sum(call.end_lineno - call.lineno + 1 for call in calls)
                for template in module.parents[1].glob(f"templates/*/{folder}/list.html"):
                    lines += len(template.read_text().splitlines())
                sizes[f"{module}: {folder}"] = lines
    assert len(sizes) >= 7
    assert {path: lines for path, lines in sizes.items() if lines >= MOST_LINES} == {}


def test_an_overview_stays_as_small_as_what_only_its_app_knows() -> None:
    views = list(ROOT.glob("apps/*/views/overview.py"))
    assert len(views) >= 3
    for view in views:
        template = view.parents[1] / "templates" / view.parents[1].name / "overview.html"
        assert len((view.read_text() + template.read_text()).splitlines()) < MOST_OVERVIEW_LINES, view
