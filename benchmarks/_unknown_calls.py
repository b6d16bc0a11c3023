"""What a stub backend raises at a call that it does not know: pages would ask again and again, and that be measured."""

from __future__ import annotations


class UnknownCallError(Exception):
    """The code that is measured makes calls that its stub does not know; the message names them by method and path."""

    def __init__(self, *calls: str) -> None:
        super().__init__(f"the stub backend does not know {', '.join(calls)}")
