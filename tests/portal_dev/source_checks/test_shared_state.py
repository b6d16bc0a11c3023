"""State of a module that its functions change."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.python_code import python_faults

CHANGES = {
    "kept = {}\ndef view(request):\n    kept[request.user] = 1": (3, "kept"),
    "kept: dict[str, int] = {}\ndef view(request):\n    kept['a'] += 1": (3, "kept"),
    "kept = []\ndef view(request):\n    kept.append(request)": (3, "kept"),
    "kept = defaultdict(list)\ndef view(request):\n    kept['a'].append(request)": (3, "kept"),
    "kept = set()\nview = lambda request: kept.add(request)": (2, "kept"),
    "kept = {}\nclass View:\n    def get(self, request):\n        del kept['a']": (4, "kept"),
    "class Kept:\n    rows = []\ndef view(request):\n    Kept.rows.append(request)": (4, "Kept.rows"),
    "count = 0\ndef view(request):\n    global count\n    count += 1": (3, "count"),
    "from apps.finance.state import KEPT\ndef view(request):\n    KEPT['a'] = 1": (3, "KEPT"),
    "kept = {}\ndef view(request):\n    def inner():\n        kept.clear()": (4, "kept"),
    "import collections as c\nkept = c.deque()\ndef view(request):\n    kept.popleft()": (4, "kept"),
}
FINE = [
    "kept = {}\nkept['a'] = 1\nkept.update(b=2)",
    "kept = {}\ndef view(request):\n    return kept['a'], kept.get('b'), [*kept]",
    "kept = {}\ndef view(request):\n    kept = {}\n    kept['a'] = 1",
    "kept = {}\ndef view(kept):\n    kept['a'] = 1",
    "kept = {}\ndef view(request):\n    kept = []\n    def inner():\n        kept.append(1)",
    "kept = []\nview = lambda kept: kept.append(1)",
    "def view(request):\n    rows = []\n    rows.append(1)\n    request.extra['a'] = 1",
    "kept = {}  # shared on purpose: what the catalog has\ndef view(request):\n    kept['a'] = 1",
    "kept = {}\ndef view(request):\n    kept['a'] = 1  # shared on purpose: what the catalog has",
    "NAMES = ('a', 'b')\ndef view(request):\n    NAMES.index('a')",
]


def faults(write, source: str):
    return list(python_faults(write("view.py", source)))


@pytest.mark.parametrize(("source", "told"), CHANGES.items())
def test_a_change_is_told_with_its_line_and_what_to_do(write, source: str, told: tuple[int, str]) -> None:
    (fault,) = faults(write, source)
    assert (fault.line, fault.id) == (told[0], "E015")
    assert fault.message.startswith(f"{told[1]} is changed here")
    assert "# shared on purpose: why" in fault.hint


@pytest.mark.parametrize("source", FINE)
def test_what_one_request_has_for_itself_or_nobody_changes_is_fine(write, source: str) -> None:
    assert faults(write, source) == []


def test_a_comment_without_a_reason_allows_nothing(write) -> None:
    assert faults(write, "kept = {}\ndef view(request):\n    kept['a'] = 1  # shared on purpose:")
