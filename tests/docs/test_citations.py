"""Every citation names a heading: `contract, section 5`; `requirements, "Limits"`; `query-cache, I7`; `ADR 12`.

The forms are those of CONTRIBUTING ("How we cite"). Text in double quotes after a section must stand in that section.
"""

from __future__ import annotations

import re
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
SECTIONS = re.compile(
    r"\b[Cc]ontract, sections? (\d+" + MORE % r"\d+" + r")((?:,|:| and)? ?\"[^\"]*\"(?: and \"[^\"]*\")*)?"
)
ROW = re.compile(r"\b[Cc]ontract, section (\d+), row (\d+)")
HEADINGS = re.compile(r"\b[Rr]equirements, (\"[^\"]*\"" + MORE % r"\"[^\"]*\"" + ")")
INVARIANTS = re.compile(r"\b(query-cache|token-refresh), (I\d+" + MORE % r"I\d+" + ")")
DECISION = re.compile(r"\bADR (\d+)\b")
DECISION_FILE = re.compile(r"(?<=docs/adr/)[\w.-]+\.md")
PAGE = re.compile(r"\bdocs/([\w/-]+\.md), \"([^\"]*)\"")


def in_one_line(text: str) -> str:
    """A text without its line breaks, nor what a comment's next line begins with."""
    return re.sub(r"\s*\n\s*(?:#:? )?", " ", text)


def numbers_of(text: str) -> list[int]:
    """`5`, `3 and 6`, `I1 to I4`: all that are meant."""
    found: list[int] = []
    for word, number in re.findall(r"(to )?I?(\d+)", text):
        found.extend(range(found[-1] + 1, int(number) + 1) if word else [int(number)])
    return found


def headings_of(page: Path) -> set[str]:
    """All of a page; none of one that does not exist."""
    return set(re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)) if page.exists() else set()


def sections_of(page: Path, *, level: int = 2) -> dict[str, str]:
    """Each heading of a page with what stands below it."""
    parts = re.split(rf"^{'#' * level} (.+)$", page.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


CONTRACT_SECTIONS = {int(heading.partition(".")[0]): text for heading, text in sections_of(CONTRACT).items()}
REQUIRED = {heading.partition(" (")[0]: text for heading, text in sections_of(REQUIREMENTS).items()}
PROMISES = {
    name: {int(match[1]) for match in re.finditer(r"^### I(\d+) ", page.read_text(), flags=re.MULTILINE)}
    for name, page in DESIGNS.items()
}
DECISIONS = {int(path.name[:4]) for path in (ROOT / "docs" / "adr").glob("[0-9]*.md")}


def faults_of(text: str) -> list[str]:
    """The citations of a text that lead nowhere."""
    text = in_one_line(text)
    faults = []
    for match in SECTIONS.finditer(text):
        numbers = numbers_of(match[1])
        faults += [match[0] for number in numbers if number not in CONTRACT_SECTIONS]
        below = in_one_line("".join(CONTRACT_SECTIONS.get(number, "") for number in numbers)).lower()
        faults += [match[0] for quoted in re.findall(r'"([^"]*)"', match[2] or "") if quoted.lower() not in below]
    for match in ROW.finditer(text):
        if f"\n| {match[2]} |" not in CONTRACT_SECTIONS.get(int(match[1]), ""):
            faults.append(match[0])
    for match in HEADINGS.finditer(text):
        quoted = re.findall(r'"([^"]*)"', match[1])
        faults += [match[0] for heading in quoted if heading.partition(" (")[0] not in REQUIRED]
    for match in INVARIANTS.finditer(text):
        faults += [match[0] for number in numbers_of(match[2]) if number not in PROMISES[match[1]]]
    faults += [match[0] for match in DECISION.finditer(text) if int(match[1]) not in DECISIONS]
    faults += [match[0] for match in DECISION_FILE.finditer(text) if not (ROOT / "docs" / "adr" / match[0]).exists()]
    faults += [match[0] for match in PAGE.finditer(text) if match[2] not in headings_of(ROOT / "docs" / match[1])]
    return faults


def test_every_citation_names_a_heading_that_exists() -> None:
    faults = {
        str(path.relative_to(ROOT)): found
        for path in SOURCES
        if path not in DESIGNS.values() and (found := faults_of(path.read_text()))
    }
    assert faults == {}


@pytest.mark.parametrize(
    "wrong",
    [
        "contract, section 10",
        'contract, section 5, "Nothing of the kind"',
        "contract, section 5, row 9",
        'requirements, "Limitations"',
        "query-cache, I1 to I17",
        "token-refresh, I15",
        'docs/explanation/query-cache.md, "Whose cake"',
        "ADR 99",
        "docs/adr/0003-another-name.md",
    ],
)
def test_a_citation_that_leads_nowhere_is_found(wrong: str) -> None:
    assert faults_of(f"Some text ({wrong}).") != []


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
