"""Tests that have a short form for `make test` and a whole one for `make storm-check`."""

import os
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

#: The variable that `make storm-check` sets.
VARIABLE: Final = "WHOLE_TESTS"
IS_WHOLE: Final = os.environ.get(VARIABLE) == "on"
#: For the tests that a test runs: in a whole run too, they are short.
SHORT: Final = {VARIABLE: "off"}


def number_of(whole: int) -> int:
    """Return the number of examples to try: a quarter of `whole`, or all in a whole run."""
    return whole if IS_WHOLE else whole // 4


def sample(items: Iterable[T], *, step: int) -> Sequence[T]:
    """Return each `step`-th item, or all in a whole run."""
    return list(items)[:: 1 if IS_WHOLE else step]
