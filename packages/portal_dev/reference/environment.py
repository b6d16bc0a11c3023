"""docs/reference/environment.md and .env.example: the variables that `portal.config.environment` declares."""

from itertools import groupby
from typing import Final

from portal.config.environment import VARIABLES, Secrecy, Variable, VariablePart

PAGE: Final = "docs/reference/environment.md"
EXAMPLE: Final = ".env.example"

_BEFORE_EXAMPLE: Final = """\
# Copy to .env for what should differ from the defaults on your machine. `make run` needs none of it.
# docs/reference/environment.md explains each. SECRET_KEY, ALLOWED_HOSTS, APP_PUBLIC_API_BASE_URL and
# APP_PUBLIC_GATEWAY_APP_URL are a server's: with one of them set, a developer's machine has to say DEBUG=on.
"""
_AFTER: Final = """\
## Secrets in files

{secret} may be given as files, such as secrets of Docker and Kubernetes: `SECRET_KEY_FILE=/run/secrets/secret_key`. Line ends at its end do not count. A variable beside its file stops the start. A changed secret needs a restart.
"""
_TABLE: Final = "\n\n| variable | default | meaning |\n|---|---|---|"
_REMARKS: Final = {Secrecy.OPEN: "", Secrecy.SECRET: ". A secret", Secrecy.HAS_PASSWORD: ". May contain a password"}


def example() -> str:
    """Return the file with every variable that a person sets, as a comment with an example."""
    lines = [_BEFORE_EXAMPLE]
    for part in VariablePart:
        shown = [f"#{each.name}={each.example}" for each in VARIABLES if each.part is part and each.in_env_file]
        lines += [f"# --- {part.value} ---", *shown, ""]
    return "\n".join(lines)


def markdown() -> str:
    """Return the tables, and which variables may be files."""
    secret = [variable for variable in VARIABLES if variable.secrecy is not Secrecy.OPEN]
    return "\n".join([*map(_part, VariablePart), _AFTER.replace("{secret}", _names(secret))])


def _part(part: VariablePart) -> str:
    """Return a heading with its table. Variables that say the same share a row."""
    declared = [variable for variable in VARIABLES if variable.part is part]
    rows = groupby(declared, key=lambda variable: (variable.default, variable.meaning, variable.read_by))
    return "\n".join([f"## {part.value}{_TABLE}", *(_row(list(together)) for _, together in rows), ""])


def _row(variables: list[Variable]) -> str:
    first = variables[0]
    reader = "" if first.read_by == "every project" else f". Read by {first.read_by}"
    return f"| {_names(variables)} | {first.default} | {first.meaning}{reader}{_REMARKS[first.secrecy]} |"


def _names(variables: list[Variable]) -> str:
    return ", ".join(f"`{variable.name}`" for variable in variables)
