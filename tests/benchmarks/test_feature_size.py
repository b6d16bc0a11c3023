"""The sizes of one feature: what is counted, and that the documentation has the figures of now."""

from __future__ import annotations

from benchmarks.feature_size import row, size_of, sizes, written_here
from tests.support.harness import ROOT

HOW_TO = """1. The service, in `packages/portal/services/finance/payments.py`

   ```python
   first

   second
   ```

2. The URL. `apps/finance/urls.py`

   ```diff
    old
   -gone
   +new
   ```

   `apps/finance/locale/de/LC_MESSAGES/django.po`

   ```diff
   +msgstr "not counted"
   ```

   `tests/apps/finance/test_payments.py`

   ```python
   not_counted
   ```
"""


def test_new_files_count_whole_and_changed_ones_by_their_added_lines() -> None:
    assert written_here(HOW_TO) == {
        "packages/portal/services/finance/payments.py": "first\n\nsecond\n",
        "apps/finance/urls.py": "new\n",
    }
    size = size_of(written_here(HOW_TO))
    assert (size.files, size.lines, size.bytes) == (2, 3, 18)


def test_the_documentation_has_the_figures_of_now() -> None:
    page = (ROOT / "docs" / "reference" / "compared-with-tanstack-query.md").read_text()
    for name, size in sizes().items():
        assert row(name, size) in page
