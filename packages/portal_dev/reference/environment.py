"""docs/reference/environment.md: every environment variable, as `portal.config.environment` declares it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from portal.config.environment import VARIABLES, Secrecy, Variable, VariablePart

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE: Final = "docs/reference/environment.md"

_BEFORE: Final = """\
# Environment

Every project reads these variables once, at start, from the environment, else from a `.env` file in the root of a checkout, which `make run` hands on to the sandbox. [.env.example](../../.env.example) has an example of each. A missing or malformed variable stops the start with one line that names it. This page is made from `portal.config.environment`.
"""
_AFTER: Final = """\
## Secrets in files

{secret} may be given as files, such as secrets of Docker and Kubernetes: `SECRET_KEY_FILE=/run/secrets/secret_key`. Line ends at its end do not count. A variable beside its file stops the start. A changed secret needs a restart.

The sandbox has [variables of its own](../../packages/sandbox_api/README.md).

## Addresses of a Redis

| form | is |
|---|---|
| `redis://[user:password@]host[:port][/database]` | one server. User and password are percent-encoded: `,` is `%2C`, `;` is `%3B`, `@` is `%40`, `/` is `%2F` |
| `rediss://…` | by TLS. `?ssl_ca_certs=/etc/portal/redis-ca.pem` names a private authority, `&ssl_certfile=…&ssl_keyfile=…` a client's certificate |
| `unix://[user:password@]/run/redis/redis.sock[?db=0]` | one server on this machine |
| `redis+sentinel://[user:password@]host[:port],host[:port],…/service[/database]` | the primary that these Sentinels name (port 26379). User and password are the servers'; the Sentinels' are `?sentinel_username=…&sentinel_password=…` |
| `rediss+sentinel://…` | Sentinels and servers by TLS, options as of `rediss://` |

Options have redis-py's names. An unknown one stops the start (`portal.store.E004`), and so do an address with several servers and Redis Cluster.
"""


_USUAL_READER: Final = "every project"
_REMARKS: Final = {Secrecy.OPEN: "", Secrecy.SECRET: ". A secret", Secrecy.HAS_PASSWORD: ". May contain a password"}


def markdown() -> str:
    """The whole page."""
    parts = (_part(part) for part in VariablePart)
    secret = [variable for variable in VARIABLES if variable.secrecy is not Secrecy.OPEN]
    return "\n".join([_BEFORE, *parts, _AFTER.replace("{secret}", _names(secret))])


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
