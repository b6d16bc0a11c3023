"""Fixtures that every test may use; servers and browsers stand in `tests.harness`."""

from __future__ import annotations

import pytest

from tests.harness import RunningStack, running_stack

pytest_plugins = ["portal.testing"]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> RunningStack:
    """The sandbox backend and all four projects, each in its own process, with seeded data."""
    with running_stack(tmp_path_factory.mktemp("stack")) as running:
        yield running
