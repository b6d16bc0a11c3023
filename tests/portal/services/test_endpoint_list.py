"""The services: every endpoint of the contract is declared, and its writes patch the lists."""

from collections import Counter

from portal.config.contract_names import REFRESH_PATH
from portal.query.hooks.checks import check_endpoints
from portal.services.endpoint_list import all_entries
from tests.support.contract_calls import contract_calls


def test_each_call_of_the_contract_is_declared_once() -> None:
    declared = Counter((entry.method, entry.path) for entry in all_entries())
    # The refresh is the API session's own.
    promised = contract_calls() - {("POST", REFRESH_PATH)}
    assert promised - set(declared) == set()
    assert [call for call, times in declared.items() if times > 1] == []


def test_the_declarations_pass_the_system_checks() -> None:
    assert check_endpoints() == []


def test_every_write_of_a_listed_resource_patches_its_list() -> None:
    entries = all_entries()
    lists = {entry.path: entry.key for entry in entries if entry.method == "GET" and "item: " in entry.types[0]}
    for entry in entries:
        listed = lists.get(entry.path.removesuffix("/{id}"))
        if entry.method != "GET" and listed:
            assert any(f"`{listed}`" in effect for effect in entry.effects), entry.key
