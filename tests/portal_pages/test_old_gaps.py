"""What the backend was seen not to have more than ten minutes ago: pages that make the call make it, forms are back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client as Browser

from portal.query import Endpoint
from portal.query.process_state import process_runtime
from portal.testing import Backend, SignedIn, row_ids
from tests.portal_pages.customers import (
    CREATE,
    CUSTOMERS,
    CustomerMutations,
    CustomerQueries,
    customer_pages,
    served,
)

PAGE = "/en/energy/clients"


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Iterator[Browser]:
    backend.lists(CUSTOMERS, [{"id": "c1", "name": "Ada"}])
    with served(*customer_pages(create=CREATE)):
        yield signed_in("ENERGY_APP")


def was_absent(hook: Endpoint[Any], *, seconds_ago: float) -> None:
    process_runtime().gaps.learn(hook.key, status=404, now=time.time() - seconds_ago)


def test_a_list_is_not_asked_for_ten_minutes(backend: Backend, browser: Browser) -> None:
    was_absent(CustomerQueries.use_get_customers_query, seconds_ago=590)
    assert browser.get(PAGE).status_code == 404
    assert not backend.calls_to(CUSTOMERS)


def test_a_list_that_is_back_is_shown_by_the_first_page_that_asks(browser: Browser) -> None:
    was_absent(CustomerQueries.use_get_customers_query, seconds_ago=610)
    assert row_ids(browser.get(PAGE)) == ["c1"]


def test_a_row_that_is_back_is_shown_by_the_first_page_that_asks(browser: Browser) -> None:
    was_absent(CustomerQueries.use_get_customer_query, seconds_ago=610)
    assert browser.get(f"{PAGE}/c1").status_code == 200


def test_a_form_can_be_opened_again(browser: Browser) -> None:
    was_absent(CustomerMutations.use_create_customer_mutation, seconds_ago=590)
    assert browser.get(f"{PAGE}/new").status_code == 404
    was_absent(CustomerMutations.use_create_customer_mutation, seconds_ago=610)
    assert browser.get(f"{PAGE}/new").status_code == 200
