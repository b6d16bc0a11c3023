"""On PYTHONPATH, this gives a project another stale time, in seconds: that of the variable `BENCH_STALE_TIME_S`.

It also hides what no server has, as `_runtime_only` does.
"""

import os
import sys

from portal.config import limits

sys.modules.update(dict.fromkeys(("rich", "greenlet")))  # type: ignore[arg-type]  # None for a module: its import fails
limits.STALE_TIME_S = float(os.environ["BENCH_STALE_TIME_S"])  # type: ignore[misc,assignment]  # what is tried is shorter
