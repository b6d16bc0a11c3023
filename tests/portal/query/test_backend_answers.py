"""Answers of a backend as a request's client takes them: pages, cursors, null; and JSON that is nothing to work with."""

from functools import reduce
from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiMalformedError
from portal.rows.strict_json import MAX_DEPTH
from tests.portal.query.clients import clients, listed, me, one
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations, ids

PATH = "/energy/clients"
LONE = "\ud800"


def answering(user: User, **body: Any) -> User:
    """With a list of one row, and this at its end."""
    user.backend.open_paths = {PATH: {"items": [{"id": "x"}], **body}}
    return user


class TestAList:
    @pytest.mark.parametrize("body", [None, [], "x", {}, {"items": None}, {"items": ["x"]}, {"items": {}}])
    def test_that_is_no_page_is_an_error(self, ada: User, body: Any) -> None:
        ada.backend.open_paths = {PATH: body}
        with ada.reads(1):
            assert isinstance(clients(ada).error, ApiMalformedError)

    @pytest.mark.parametrize(
        ("end", "is_odd"),
        [
            ({"hasNext": False, "nextCursor": "x"}, False),
            ({}, False),
            ({"hasNext": True, "nextCursor": None}, True),
            ({"hasNext": True}, True),
            ({"hasNext": True, "nextCursor": ""}, True),
            ({"hasNext": True, "nextCursor": 2.5}, True),
            ({"hasNext": True, "nextCursor": "same"}, "own"),
        ],
    )
    def test_ends_without_a_usable_cursor_with_warning(
        self, ada: User, caplog: pytest.LogCaptureFixture, end: dict[str, Any], is_odd: object
    ) -> None:
        result = clients(answering(ada, **end), pages=5)
        assert (ids(result), result.pages, result.has_next_page) == (["x"], 2 if is_odd == "own" else 1, False)
        assert ("gives no cursor for it, or its own" in caplog.text) is bool(is_odd)

    def test_may_have_a_whole_number_as_cursor(self, ada: User) -> None:
        first = clients(answering(ada, hasNext=True, nextCursor=20))
        assert (first.has_next_page, first.data.next_cursor) == (True, "20")
        for _ in range(2):
            assert clients(ada, pages=2).pages == 2
        assert [params.get("cursor") for _, path, params in ada.backend.calls if path != "/me"] == [None, "20"]


def test_null_is_an_answer(ada: User) -> None:
    ada.backend.open_paths = {f"{PATH}/c5": None}
    result = one(ada)
    assert (result.is_success, result.unwrap()) == (True, None)


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 900])
def test_rows_nested_too_deeply_are_a_malformed_answer(ada: User, levels: int) -> None:
    name: Any = reduce(lambda inner, level: [inner] if level % 2 else {"in": inner}, range(levels), "end")
    row = {"id": "c5", "name": name}
    ada.backend.open_paths = {PATH: {"items": [row], "hasNext": False}, f"{PATH}/c5": row}
    for _ in range(2):
        found = clients(ada)
        assert (type(found.error), found.data.items) == (ApiMalformedError, ())
        assert isinstance(one(ada).error, ApiMalformedError)


class TestTextThatIsNoText:
    """JSON can name half of a surrogate pair; no page, no address and no hash can hold it."""

    @pytest.mark.parametrize("sent", [{"params": {"q": LONE}}, {"params": {"sort": f"{LONE}x"}}, {"cursor": LONE}])
    def test_in_parameters_is_replaced(self, ada: User, sent: Any) -> None:
        listed(answering(ada, hasNext=False), **sent)
        sent_values = list(ada.backend.calls[-1][2].values())
        assert any("\ufffd" in value for value in sent_values)
        assert all(value.encode() for value in sent_values)

    def test_in_a_named_row_is_replaced(self, ada: User) -> None:
        assert one(ada, LONE).error is not None
        assert ada.backend.calls[-1][1] == f"{PATH}/%EF%BF%BD"
        assert ClientMutations.use_delete_client_mutation(ada.request()).mutate(params={"id": LONE}).error is not None

    def test_in_profile_or_token_is_no_error(self, ada: User) -> None:
        ada.backend.open_paths = {"/me": {"id": LONE, "permissions": [LONE, "ENERGY_APP"]}}
        assert me(ada).error is None
        ada.backend.users[LONE] = "ada"
        listed(ada.process.request(TokenStore(TokenPair(access=LONE))))
