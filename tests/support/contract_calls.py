"""The calls of the contract, section 7, read from its own table: no second list of them is kept."""

import re

from tests.support.harness import ROOT

_PAGE = ROOT / "docs" / "reference" / "contract.md"
#: A method, a path, or the words that give all paths before them one more ending.
_TOKEN = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\b|`(/[^`]*)`|(each also with)")


def contract_calls() -> set[tuple[str, str]]:
    """Method and path of each call that the contract promises of a backend."""
    section = _PAGE.read_text().partition("## 7. ")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")]
    return {call for row in rows[1:] for call in calls_in(row)}


def calls_in(cell: str) -> set[tuple[str, str]]:
    """The calls that a cell of the table names: `GET, PATCH `/x/{id}``, or `GET `/x`, `/y`, each also with `/{id}``."""
    calls: set[tuple[str, str]] = set()
    methods: list[str] = []
    paths: list[str] = []
    adds = False
    for method, path, also in _TOKEN.findall(cell):
        if method and paths:
            methods, paths, adds = [], [], False
        if method:
            methods.append(method)
        elif also:
            adds = True
        else:
            found = [f"{each}{path}" for each in paths] if adds else [path]
            paths += found
            calls |= {(each, place) for each in methods for place in found}
    return calls
