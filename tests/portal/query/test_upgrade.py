"""The store of the release before, whose caches belonged to users and were found by GET `/me`: it is in nobody's way."""

import json
from typing import Any

import pytest

from portal.query.sign_in_caches import cache_key
from tests.portal.query.clients import clients, create, listed, me
from tests.portal.query.world import User

#: As that release named and wrote them.
PRINCIPAL, VIEW = "4c9e3edbb8f539b13caf2aab452994d60e38b0ea", "dfd914dffe60edb464d336e2660440fc3a74ec7a"
NAMESPACE, LIST = "4c9edd84b02bb8b046a4f74c88eab98f", "419173e42999667a1978e7f5486aa47d"
ROW = {"id": "c9", "name": "of the release before"}
GENERATIONS = {"generation:": 417341658894805475, "generation:energy.get_clients": 432245405397569926}
NUMBERS = "417341658894805475/432245405397569926/383691919320586096"


def values_of_the_release_before(token: str) -> dict[str, Any]:
    """A value of each kind, as it lay in a store; the token alone is another one."""
    page = [3439297056638763008, NUMBERS, 1796069611.1, None, {"items": [ROW], "hasNext": False}, 1796069611.2, None]
    record = [2, "energy.create_client", [["add", "c9", ROW]], [], ["c9"], 1796069615.7, 1796069616.1]
    return {
        **GENERATIONS,
        f"ns:{PRINCIPAL}": [NAMESPACE],
        cache_key(token).replace("ns:", "binding:"): [PRINCIPAL, NAMESPACE, None, VIEW],
        f"{NAMESPACE}:generation": 383691919320586096,
        f"{NAMESPACE}:{VIEW}e2664807:2:{LIST}::0": page,
        f"{NAMESPACE}:{VIEW}e2664807:2:variant:1018": ["35840eeb9543275be9d26e1726495431::0", page],
        f"{NAMESPACE}:energy.get_clients:log": 3439297056638763009,
        f"{NAMESPACE}:energy.get_clients:3439297056638763009": record,
        f"{NAMESPACE}:poste2664807:27f13e5abb4de091efefc117632091de": [ROW],
        f"sent:{PRINCIPAL}:213": "81883cd596af6636c69c288d51ebb9774a7849dd059b30fe7e807ac6299fda55",
    }


@pytest.fixture
def before(ada: User) -> dict[str, str]:
    """The values in the store, as texts."""
    assert ada.tokens.current.access
    found = {key: json.dumps(value) for key, value in values_of_the_release_before(ada.tokens.current.access).items()}
    ada.store.values |= found
    return found


def test_pages_are_fetched_once_without_a_warning(
    ada: User, before: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    for user, reads in ((ada, 2), (ada, 0), (ada.elsewhere(), 0)):
        with ada.reads(reads):
            assert listed(user) == listed(user, {"q": "client"}) == ["c5", "c4"]
            assert me(user).unwrap()["id"] == "ada"
    assert create(ada) in listed(ada)
    assert caplog.messages == []
    assert {key: ada.store.values.get(key) for key in before} == before, "a rollback finds its pages"


@pytest.mark.parametrize("key", GENERATIONS)
def test_either_release_clears_pages_of_both(ada: User, before: dict[str, str], key: str) -> None:
    listed(ada)
    # As the release before does it.
    ada.store.values[key] = "75"
    for reads in (1, 0):
        with ada.reads(reads):
            assert clients(ada).error is None
    ada.process.runtime.caches.clear(endpoint=key.partition(":")[2] or None)
    assert key not in ada.store.values, "that release makes another number, and its pages are misses"
