"""Names of what a backend offers beyond the required calls (contract, section 7).

A name is that of a call (`energy.get_stations`), of a parameter of a list (`energy.get_clients?city`), or says that a
list's total counts what its filters leave (`energy.get_clients:total`).
"""

import re
from pathlib import Path
from typing import Any, Final

from portal.config.contract_names import EVERYTHING
from portal.config.environment.values import read_text
from portal.errors import ConfigurationError

#: The names of a backend that offers everything.
ALL: Final = frozenset({EVERYTHING})
#: All of the contract's section 7, in the form of a file of one's own.
CONTRACT_FILE: Final = Path(__file__).with_name("contract_offers.txt")
_NAME: Final = re.compile(r"[a-z]\w*\.[a-z]\w*(\?[^\s:#]+|:total)?")


def read_offers_file(path: Path) -> frozenset[str]:
    """Read a file with a name a line; the rest of a line after `#` is a comment.

    :raises OSError: the file can't be read.
    :raises ValueError: a line is no name, or the file is empty or no text.
    """
    text = path.read_text(encoding="utf-8-sig")
    if not text.strip():
        raise ValueError(f"{path} is empty")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    names = frozenset(filter(None, lines))
    wrong = sorted(name for name in names if not _NAME.fullmatch(name))
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no name such as energy.get_stations or energy.get_clients?city")
    return names


def read_offers(name: str, *, backend: Any) -> frozenset[str] | None:
    """Read the names of what the backend offers beyond the required calls; without the variable, as its class says.

    :raises ConfigurationError: it is no word and no file of names, or the class has no set of names.
    """
    word = read_text(name)
    if not word:
        declared: Any = backend.offers if backend else None
        if declared is None:
            return None
        if isinstance(declared, set | frozenset) and all(_NAME.fullmatch(str(each)) for each in declared - ALL):
            return frozenset(declared)
        offers = f"offers of {type(backend).__name__}, as {name} is unset,"
        raise ConfigurationError(f"{offers} should be None or a set of names such as energy.get_stations: {declared!r}")
    if word in {"required", "all"}:
        return ALL if word == "all" else frozenset()
    should_be = f"{name} should be required, contract, all, or the path of a file with a name a line"
    try:
        return read_offers_file(CONTRACT_FILE if word == "contract" else Path(word))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{should_be}: {error}") from error
