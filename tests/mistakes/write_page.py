"""`python -m tests.mistakes.write_page` writes docs/reference/mistakes.md."""

from __future__ import annotations

from tests.mistakes.table import page
from tests.support.harness import ROOT

if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "mistakes.md").write_text(page())
