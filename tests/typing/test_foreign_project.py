"""mypy sees the types of the portal in a project that is not this checkout: `py.typed` says that they are there."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.harness import run_program

SHOP = '''
from django.http import HttpRequest

from portal.query import QueryGroup, Row, resource


class Order(Row):
    """An order."""

    city: str = ""


_orders = resource("/orders", item=Order)


class OrderQueries(QueryGroup):
    """The orders."""

    use_get_orders_query = _orders.list
    use_get_order_query = _orders.detail


def cities(request: HttpRequest) -> list[str]:
    reveal_type(OrderQueries.use_get_order_query(request, id="1").unwrap())
    return [order.city for order in OrderQueries.use_get_orders_query(request).unwrap().items]


def wrong(request: HttpRequest) -> int:
    return OrderQueries.use_get_order_query(request, id="1").unwrap().city
'''


def test_the_type_of_a_row_is_known(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    options = ("--no-pretty", "--no-error-summary", "shop.py")
    checked = run_program(sys.executable, "-m", "mypy", *options, status=1, cwd=tmp_path)
    assert [line.partition(": ")[2] for line in checked.stdout.splitlines()] == [
        'note: Revealed type is "shop.Order"',
        'error: Incompatible return value type (got "str", expected "int")  [return-value]',
    ]
