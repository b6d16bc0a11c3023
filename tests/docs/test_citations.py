"""Every citation names a heading: `contract, section 5`; `requirements, "Limits"`; `query-cache, I7`; `ADR 12`.

The forms are those of CONTRIBUTING ("How we cite"). Text in double quotes after a section must stand in that section.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "docs" / "reference" / "contract.md"
REQUIREMENTS = ROOT / "docs" / "reference" / "requirements.md"
DESIGNS = {name: ROOT / "docs" / "explanation" / f"{name}.md" for name in ("query-cache", "token-refresh")}

FOLDERS = ("packages", "apps", "tests", "docs", "benchmarks")
SUFFIXES = {".py", ".md", ".html", ".js", ".toml"}
SOURCES = sorted(
    path
    for path in [*(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")), *ROOT.glob("*.*")]
    if path.suffix in SUFFIXES and path != Path(__file__) and "node_modules" not in path.parts
)

MORE = r"(?:(?:, | and | to )%s)*"
INVARIANTS = r"\b(query-cache|token-refresh), (I\d+" + MORE % r"I\d+" + ")"


def in_one_line(text: str) -> str:
    """A text without its line breaks, nor what a comment's next line begins with."""
    return re.sub(r"\s*\n\s*(?:#:? )?", " ", text)


def numbers_of(text: str) -> list[int]:
    """`5`, `3 and 6`, `I1 to I4`: all that are meant."""
    found: list[int] = []
    for word, number in re.findall(r"(to )?I?(\d+)", text):
        found.extend(range(found[-1] + 1, int(number) + 1) if word else [int(number)])
    return found


def sections_of(page: Path) -> dict[str, str]:
    """Each heading of a page, without what stands in brackets, with the text below it."""
    parts = re.split(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE) if page.exists() else [""]
    return {heading.partition(" (")[0]: text for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def promises_of(design: str) -> set[int]:
    found = re.findall(r"^### I(\d+) ", DESIGNS[design].read_text(), flags=re.MULTILINE)
    return {*map(int, found)}


PARTS = re.split(r"^## (\d+)\.", CONTRACT.read_text(), flags=re.MULTILINE)
CONTRACT_SECTIONS = dict(zip(map(int, PARTS[1::2]), PARTS[2::2], strict=True))
PROMISES = {name: promises_of(name) for name in DESIGNS}
DECISIONS = {int(path.name[:4]) for path in (ROOT / "docs" / "adr").glob("[0-9]*.md")}


def section_has(cited: re.Match[str]) -> bool:
    """Return whether the sections exist, and have the quoted texts."""
    numbers = numbers_of(cited[1])
    below = in_one_line("".join(CONTRACT_SECTIONS.get(number, "") for number in numbers)).lower()
    texts = re.findall(r'"([^"]*)"', cited[2] or "")
    return CONTRACT_SECTIONS.keys() >= {*numbers} and all(text.lower() in below for text in texts)


def requirements_have(cited: re.Match[str]) -> bool:
    headings = (heading.partition(" (")[0] for heading in re.findall(r'"([^"]*)"', cited[1]))
    return sections_of(REQUIREMENTS).keys() >= {*headings}


#: Pattern of a citation to a function that returns whether it leads somewhere.
CITATIONS: dict[str, Callable[[re.Match[str]], bool]] = {
    r"\b[Cc]ontract, sections? (\d+"
    + MORE % r"\d+"
    + r")((?:,|:| and)? ?\"[^\"]*\"(?: and \"[^\"]*\")*)?": section_has,
    r"\b[Cc]ontract, section (\d+), row (\d+)": lambda cited: (
        f"\n| {cited[2]} |" in CONTRACT_SECTIONS.get(int(cited[1]), "")
    ),
    r"\b[Rr]equirements, (\"[^\"]*\"" + MORE % r"\"[^\"]*\"" + ")": requirements_have,
    INVARIANTS: lambda cited: PROMISES[cited[1]] >= {*numbers_of(cited[2])},
    r"\bADR (\d+)\b": lambda cited: int(cited[1]) in DECISIONS,
    r"\b(docs/adr/[\w.-]+\.md)": lambda cited: (ROOT / cited[1]).exists(),
    r"\bdocs/([\w/-]+\.md), \"([^\"]*)\"": lambda cited: cited[2] in sections_of(ROOT / "docs" / cited[1]),
}


def faults_of(text: str) -> list[str]:
    """Return the citations of a text that lead nowhere."""
    text = in_one_line(text)
    return [cited[0] for form, leads in CITATIONS.items() for cited in re.finditer(form, text) if not leads(cited)]


def test_every_citation_names_a_heading_that_exists() -> None:
    faults = {
        str(path.relative_to(ROOT)): found
        for path in SOURCES
        if path not in DESIGNS.values() and (found := faults_of(path.read_text()))
    }
    assert faults == {}


def test_citation_that_leads_nowhere_is_found() -> None:
    for wrong in (
        *("contract, section 10", 'contract, section 5, "Nothing of the kind"', "contract, section 5, row 9"),
        *('requirements, "Limitations"', "query-cache, I1 to I17", "token-refresh, I15", "ADR 99"),
        *('docs/explanation/query-cache.md, "Whose cake"', "docs/adr/0003-another-name.md"),
    ):
        assert faults_of(f"Some text ({wrong}).") != [], wrong


@pytest.mark.parametrize(
    ("design", "pattern"),
    [
        ("query-cache", r"class TestI(\d+)[A-Z]|query-cache, I(\d+)"),
        ("token-refresh", r"def test_(\d{1,2})_|token-refresh, I(\d+)"),
    ],
)
def test_every_invariant_has_a_test_that_carries_its_number_and_none_else(design: str, pattern: str) -> None:
    texts = [path.read_text() for path in SOURCES if path.is_relative_to(ROOT / "tests" / "portal")]
    tested = {int(next(filter(None, match.groups()))) for text in texts for match in re.finditer(pattern, text)}
    assert tested == PROMISES[design]
