"""Which forms may have been sent before."""

from __future__ import annotations

from portal.query.cache.sent_keys import SentKeys
from tests.portal.query.fakes import FakeStore


def test_a_key_was_sent_before_by_the_user_who_sent_it() -> None:
    sent = SentKeys(FakeStore())
    assert [sent.note("key", principal=user) for user in ("ada", "ada", "ben")] == [False, True, False]


def test_where_the_store_is_down_any_key_may_have_been_sent() -> None:
    store = FakeStore()
    store.down = True
    assert SentKeys(store).note("key", principal="ada")
