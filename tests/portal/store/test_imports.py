"""A project on the embedded store loads nothing of redis."""

import subprocess
import sys


def test_embedded_store_imports_no_redis() -> None:
    program = "import sys, portal.store; print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
