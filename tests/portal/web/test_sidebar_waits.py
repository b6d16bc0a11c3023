"""The sidebar of one request, while that of another one waits for the backend."""

import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from portal.web.context_processors import Sidebar


def test_sidebar_that_waits_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cached property of Python 3.11 has one lock for all instances, and its holder waits for the backend."""
    both = threading.Barrier(2)

    def read(_request: object) -> None:
        both.wait(10)
        raise LookupError

    monkeypatch.setattr("portal.web.context_processors.use_app_essentials", read)
    bars = [Sidebar(Mock(), Mock()) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        errors = [each.exception() for each in [pool.submit(getattr, bar, "navigation") for bar in bars]]
    assert list(map(type, errors)) == [LookupError, LookupError]
