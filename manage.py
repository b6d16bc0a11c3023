#!/usr/bin/env python3
"""The one entry of every project: `python manage.py --app energy <command>`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
# Works from any folder, and before the environment's path file exists.
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "packages")) if path not in sys.path]

if __name__ == "__main__":
    from portal.management.entry import main

    sys.exit(main(sys.argv))
