"""Where the value of each variable comes from: the environment, the `.env` file, or nowhere."""

import os
import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from portal.config.environment.reader import names_from_file
from portal.config.environment.store_urls import split_credentials
from portal.config.environment.variables import VARIABLES, Secrecy, Variable

MASK = "********"
#: The user and the password of an address, which no variable may have; also where the reader refuses it.
_CREDENTIALS = re.compile(r"(?<=://)\S*@")


class Source(Enum):
    """Where a value comes from."""

    ENVIRONMENT = "environment"
    FILE = ".env"
    #: It is the text of a file that `<name>_FILE` names.
    SECRET_FILE = "file"  # noqa: S105  a word of this list
    #: It is unset, or empty, which is the same.
    DEFAULT = "default"


class VariableValue(NamedTuple):
    """A variable with its value.

    :param shown: the value with its secrets masked; empty where it is unset.
    """

    variable: Variable
    shown: str
    source: Source


def variable_values() -> Iterator[VariableValue]:
    """Every declared variable, in the order of the reference page."""
    for variable in VARIABLES:
        value = os.environ.get(variable.name, "").strip()
        if not value and may_be_a_file(variable) and os.environ.get(f"{variable.name}_FILE", "").strip():
            yield VariableValue(variable, MASK, Source.SECRET_FILE)
            continue
        source = Source.FILE if variable.name in names_from_file else Source.ENVIRONMENT
        yield VariableValue(variable, _masked(variable, value), source if value else Source.DEFAULT)


def undeclared_names() -> list[str]:
    """Variables that begin as the portal's own do, and that it does not read: misspelt, or of another version."""
    declared = {variable.name for variable in VARIABLES}
    declared |= {f"{variable.name}_FILE" for variable in VARIABLES if may_be_a_file(variable)}
    return sorted(name for name in os.environ if name.startswith("APP_") and name not in declared)


def quoted_names() -> list[str]:
    """Declared variables whose value stands in quotes, which are a part of it: no shell has taken them away."""
    values = {variable.name: os.environ.get(variable.name, "").strip() for variable in VARIABLES}
    return [name for name, value in values.items() if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"]


def may_be_a_file(variable: Variable) -> bool:
    """Whether the variable may be given as a file, by `<name>_FILE`: each one that holds a secret."""
    return variable.secrecy is not Secrecy.OPEN


def runs_in_kubernetes() -> bool:
    """Whether this process runs in a pod: Kubernetes gives each one this variable."""
    return "KUBERNETES_SERVICE_HOST" in os.environ


def _masked(variable: Variable, value: str) -> str:
    if not value:
        return ""
    if variable.secrecy is Secrecy.OPEN:
        return _CREDENTIALS.sub(f"{MASK}@", value)
    if variable.secrecy is Secrecy.SECRET:
        return MASK
    try:
        bare, secrets = split_credentials(value)
    except ValueError:
        return MASK
    # An address that the reader refuses may have its password anywhere.
    scheme, separator, rest = bare.partition("://")
    if not separator or (
        any(sign in rest.partition("?")[0] for sign in "@,;") and not scheme.endswith(("+sentinel", "+cluster"))
    ):
        return MASK
    return f"{scheme}://{f'{MASK}@' if secrets else ''}{rest}"
