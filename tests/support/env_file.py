"""The `.env` file of whoever runs the tests. It is theirs; no test reads it."""

import re
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / ".env"


def unset_by_tests() -> dict[str, str]:
    """The variables of the file, each as set to nothing: a process then takes none of them from the file."""
    text = FILE.read_text() if FILE.exists() else ""
    return dict.fromkeys(re.findall(r"^\s*(?:export\s+)?(\w+)\s*=", text, flags=re.MULTILINE), "")
