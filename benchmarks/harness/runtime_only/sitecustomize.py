"""On PYTHONPATH, this hides the modules that `BENCH_HIDDEN_MODULES` names: a server lacks what only developers install.

structlog, requests, granian and others import some where they are installed; those take 10 MiB of each process.
"""

import os
import sys

# A name that stands for None is how Python is told that there is no such module.
sys.modules.update(dict.fromkeys(os.environ["BENCH_HIDDEN_MODULES"].split()))  # type: ignore[arg-type]  # None for a module: its import fails
