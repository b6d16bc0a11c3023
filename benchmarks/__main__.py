"""`./manage.py bench [NAME …] [OPTIONS]`: the named benchmarks, or all that `make bench` runs, one after another.

`./manage.py bench NAME --help` shows the options of one. The exit status is 1 where one of them missed a target; the
others run all the same.
"""

from __future__ import annotations

import importlib
import signal
import sys
from itertools import takewhile
from pathlib import Path

#: These have make targets of their own: they take minutes, or are asked for one page.
ON_THEIR_OWN = {
    *("profile", "hung", "storm", "storm_edits", "storm_query", "outage", "refresh_store", "trace"),
    *("topology_load", "topology_faults", "topology_fuzz", "topology_memory"),
}


def main(arguments: list[str]) -> int:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    folder = Path(__file__).parent
    known = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    if not names and {"-h", "--help"}.intersection(arguments):
        sys.stdout.write(f"{__doc__}\nBenchmarks: {', '.join(known)}.\n")
        return 0
    # What a benchmark has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    failed = False
    for name in names or [name for name in known if name not in ON_THEIR_OWN]:
        module = importlib.import_module(f"benchmarks.{name}")
        sys.argv = [name, *arguments[len(names) :]]
        try:
            module.main()
        except SystemExit as end:
            if isinstance(end.code, str):
                sys.stderr.write(f"{end.code}\n")
            failed = failed or end.code not in {None, 0}
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
