"""docs/reference/environment.md: every environment variable, as `portal.config.environment` declares it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from portal.config.environment import VARIABLES, Secrecy, Variable, VariablePart

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE: Final = "docs/reference/environment.md"

_AFTER: Final = """\
## Secrets in files

{secret} may be given as files, such as secrets of Docker and Kubernetes: `SECRET_KEY_FILE=/run/secrets/secret_key`. Line ends at its end do not count. A variable beside its file stops the start. A changed secret needs a restart.
"""


_USUAL_READER: Final = "every project"
_REMARKS: Final = {Secrecy.OPEN: "", Secrecy.SECRET: ". A secret", Secrecy.HAS_PASSWORD: ". May contain a password"}


def markdown() -> str:
    """The tables, and which variables may be files."""
    parts = (_part(part) for part in VariablePart)
    secret = [variable for variable in VARIABLES if variable.secrecy is not Secrecy.OPEN]
    return "\n".join([*parts, _AFTER.replace("{secret}", _names(secret))])


def _part(part: VariablePart) -> str:
    """One heading with its table. Variables that say the same share a row."""
    declared = [variable for variable in VARIABLES if variable.part is part]
    rows = groupby(declared, key=lambda variable: (variable.default, variable.meaning, variable.read_by))
    lines = [
        f"## {part.value}",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
        *(_row(list(together)) for _, together in rows),
        "",
    ]
    return "\n".join(lines)


def _row(variables: list[Variable]) -> str:
    first = variables[0]
    reader = "" if first.read_by == _USUAL_READER else f". Read by {first.read_by}"
    return f"| {_names(variables)} | {first.default} | {first.meaning}{reader}{_REMARKS[first.secrecy]} |"


def _names(variables: Iterable[Variable]) -> str:
    return ", ".join(f"`{variable.name}`" for variable in variables)
