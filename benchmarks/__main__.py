"""`python -m benchmarks [NAME …] [OPTIONS]`: the named benchmarks, or all that `make bench` runs, one after another."""

from __future__ import annotations

import importlib
import sys
from itertools import takewhile
from pathlib import Path

#: These take minutes and have make targets of their own.
STORMS = {"hung", "storm", "storm_query", "outage", "refresh_store"}


def main(arguments: list[str]) -> int:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    folder = Path(__file__).parent
    known = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}\n")
        return 2
    for name in names or [name for name in known if name not in STORMS]:
        module = importlib.import_module(f"benchmarks.{name}")
        sys.argv = [name, *arguments[len(names) :]]
        module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
