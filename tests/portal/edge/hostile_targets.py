"""Redirect targets that want out: collected from the open-redirect literature, then multiplied.

Each trick is tried with several hosts and in several surroundings, since a check that looks at one spelling alone is
what they live on. The corpus is `hostile_targets.json`: `{host}` is the place that a target wants to lead to; no
destinations are those that end a sign-in, answer no page, or loop; targets are put together from fragments at random.
"""

import json
from pathlib import Path

_CORPUS = json.loads(Path(__file__).with_suffix(".json").read_text())
_TOO_LONG = "a" * 2000

EVIL_HOSTS = tuple(_CORPUS["hosts"])
HOSTILE = tuple(trick.format(host=host) for kind in _CORPUS["tricks"].values() for trick in kind for host in EVIL_HOSTS)
NO_DESTINATIONS = (*_CORPUS["no destinations"], f"/{_TOO_LONG}", f"http://localhost:8001/{_TOO_LONG}")
FRAGMENTS = tuple(_CORPUS["fragments"])
