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

`portal.config.environment` reads these variables once, at start. It also reads a `.env` file in the root of a checkout; a variable
of the environment wins over the file. `make run` and `./manage.py --app sandbox_api` hand the file's variables on to the sandbox backend. A missing or malformed variable stops the start with one line that names it.

A new variable is declared in `packages/portal/config/environment/variables.py`, from which this page is made, and read in `reader.py` beside it.
"""
_AFTER: Final = """\
## Secrets in files

{secret} may also be given as files, as secrets of Docker and Kubernetes are and credentials of systemd: `SECRET_KEY_FILE=/run/secrets/secret_key`. Line ends at the end of such
a file do not count. A variable and its file together stop the start. A worker reads the file when it starts: a changed secret needs a restart.

The sandbox backend has variables of its own: [packages/sandbox_api](../../packages/sandbox_api/README.md).

## Addresses of a Redis

| form | is |
|---|---|
| `redis://[user:password@]host[:port][/database]` | one server. User (of its ACL) and password are percent-encoded: `,` is `%2C`, `;` is `%3B`, `@` is `%40`, `/` is `%2F` |
| `rediss://…` | the same by TLS. `?ssl_ca_certs=/etc/portal/redis-ca.pem` names a private certificate authority, `&ssl_certfile=…&ssl_keyfile=…` a client's certificate |
| `unix://[user:password@]/run/redis/redis.sock[?db=0]` | one server on this machine |
| `redis+sentinel://[user:password@]host[:port],host[:port],…/service[/database]` | the primary that these Sentinels name; port 26379 by default. User and password are for the servers; those for the Sentinels are `?sentinel_username=…&sentinel_password=…` |
| `rediss+sentinel://…` | the same, Sentinels and servers by TLS, with the options of `rediss://` |

The options after `?` have redis-py's names; an unknown one stops the start (`portal.store.E004`). All reads and writes
go to the primary. An address with several servers stops the start, since Django would read from replicas; so does Redis Cluster.
"""


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
        "| variable | default | meaning | read by |",
        "|---|---|---|---|",
        *(_row(list(together)) for _, together in rows),
        "",
    ]
    return "\n".join(lines)


def _row(variables: list[Variable]) -> str:
    first = variables[0]
    meaning = first.meaning + _remark(variables)
    return f"| {_names(variables)} | {first.default} | {meaning} | {first.read_by} |"


def _names(variables: Iterable[Variable]) -> str:
    return ", ".join(f"`{variable.name}`" for variable in variables)


def _remark(variables: list[Variable]) -> str:
    """An example where it tells more than the default, and that a value is secret."""
    (variable, *others) = variables
    if variable.secrecy is Secrecy.SECRET:
        return ". A secret"
    tells = variable.example not in {"", "on"} and variable.example not in variable.default and not others
    example = f". Example: `{variable.example}`" if tells else ""
    return example + (". May contain a password" if variable.secrecy is Secrecy.HAS_PASSWORD else "")
