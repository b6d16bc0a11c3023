"""Addresses with parameters."""

from datetime import date

import pytest

from portal.services.operations.work_orders import WorkOrderStatus
from portal.web.present.addresses import ParamValue, with_params


@pytest.mark.parametrize(
    ("params", "address"),
    [
        ({"status": None, "q": "", "city": []}, "/en/lists"),
        ({"status": WorkOrderStatus.IN_PROGRESS}, "/en/lists?status=in_progress"),
        ({"status": ["open", WorkOrderStatus.DONE], "q": "a&b"}, "/en/lists?status=open&status=done&q=a%26b"),
        ({"q": "half\ud800"}, "/en/lists?q=half%3F"),
        ({"dueAtTo": date(2026, 3, 1)}, "/en/lists?dueAtTo=2026-03-01"),
    ],
)
def test_an_address_has_the_parameters_that_have_a_value(params: dict[str, ParamValue], address: str) -> None:
    assert with_params("/en/lists", params) == address
