"""A name that is not known is told with the known one that is most like it."""

from __future__ import annotations

from portal_operate.suggestions import did_you_mean


def test_the_name_that_is_most_like_it_is_meant() -> None:
    assert did_you_mean("clientNmae", ["clientName", "clientId", "name"]) == "did you mean 'clientName'?"
    assert did_you_mean("paymets", {"payments", "payment"}) == "did you mean 'payments'?"


def test_nothing_is_meant_where_no_name_is_like_it() -> None:
    assert did_you_mean("clientName", ["id", "total"]) == ""
    assert did_you_mean("clientName", []) == ""
