"""On PYTHONPATH, this hides the packages of development that structlog and requests import where they are installed.

No server has them (`requirements/base.txt`), and they take 6 MiB of each process.
"""

import sys

# A name that stands for None is how Python is told that there is no such module.
sys.modules.update(dict.fromkeys(("chardet", "colorama", "rich", "greenlet")))  # type: ignore[arg-type]  # None for a module: its import fails
