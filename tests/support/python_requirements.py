"""What distributions need, as this environment's metadata tells it; and a process with the library's base install."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.harness import ROOT

LIBRARY = tomllib.loads((ROOT / "packages" / "pyproject.toml").read_text())["project"]


def required(requirements: Iterable[str]) -> set[str]:
    """The normal names of what these requirements bring, themselves and all that they need."""
    found: set[tuple[str, str]] = set()
    open_ones = [Requirement(each) for each in requirements]
    while open_ones:
        asked = open_ones.pop()
        for extra in ("", *asked.extras):
            if (canonicalize_name(asked.name), extra) in found:
                continue
            found.add((canonicalize_name(asked.name), extra))
            needs = map(Requirement, metadata.requires(asked.name) or ())
            open_ones += [need for need in needs if need.marker is None or need.marker.evaluate({"extra": extra})]
    return {name for name, _ in found}


@cache
def not_in_the_base() -> list[str]:
    """The modules of this environment that a base install of the library does not bring."""
    base = required(LIBRARY["dependencies"])
    return sorted(
        module
        for module, distributions in metadata.packages_distributions().items()
        if not base.intersection(map(canonicalize_name, distributions)) and re.fullmatch(r"[a-z]\w*", module)
    )


def base_alone() -> str:
    """The first lines of a program that can import nothing but the base, as if nothing else were installed."""
    return f"import sys\nsys.modules.update(dict.fromkeys({not_in_the_base()}))\n"
