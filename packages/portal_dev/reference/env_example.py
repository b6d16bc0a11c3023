""".env.example: every variable that a person sets on a developer's machine, as a comment with an example."""

from __future__ import annotations

from typing import Final

from portal.config.environment import VARIABLES, VariablePart

PAGE: Final = ".env.example"

_BEFORE: Final = """\
# Copy to .env for what should differ from the defaults on your machine. `make run` needs none of it.
# docs/reference/environment.md explains each. SECRET_KEY, ALLOWED_HOSTS, APP_PUBLIC_API_BASE_URL and
# APP_PUBLIC_GATEWAY_APP_URL are a server's: with one of them set, a developer's machine has to say DEBUG=on.
"""


def markdown() -> str:
    """The whole file."""
    return "\n".join([_BEFORE, *(_part(part) for part in VariablePart)])


def _part(part: VariablePart) -> str:
    lines = [f"#{each.name}={each.example}" for each in VARIABLES if each.part is part and each.in_env_file]
    return "\n".join([f"# --- {part.value} ---", *lines, ""])
