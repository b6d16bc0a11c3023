"""The state machine of `query_machine`, with a request whose tokens become another user's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portal.query.reads.parallel_fetches import Revalidations
from portal.query.request_partition import RequestPartition
from tests.portal.query.query_machine import WithoutSingleFlight


def a_request_that_ends_with_another_users_tokens() -> None:
    """What it showed past its stale time is fetched behind it, when its tokens are another user's already."""
    machine = WithoutSingleFlight()
    machine.start()
    machine.read(0, 0, 1, [])
    machine.time_passes(301)
    machine.a_request_reads_and_ends_with_other_tokens(0, "signed in as ben")
    machine.what_is_stale_is_fetched_behind()
    machine.read(0, 0, 1, [])


def test_what_is_fetched_behind_a_request_is_never_another_users() -> None:
    a_request_that_ends_with_another_users_tokens()


def test_and_with_the_requests_tokens_of_then_it_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Revalidations.begin
    monkeypatch.setattr(
        Revalidations, "begin", lambda self, one: begin(self, replace(one, plan=replace(one.plan, bearer=None)))
    )
    monkeypatch.setattr(RequestPartition, "still_has", lambda _self, _partition, *, sent: True)
    with pytest.raises(AssertionError, match="another user's rows"):
        a_request_that_ends_with_another_users_tokens()
