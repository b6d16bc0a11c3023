"""mypy sees the types of the portal in a project that is not this checkout: `py.typed` says that they are there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "packages" / "portal"
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
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", "shop.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line.partition(": ")[2] for line in checked.stdout.splitlines()] == [
        'note: Revealed type is "shop.Order"',
        'error: Incompatible return value type (got "str", expected "int")  [return-value]',
    ]


@pytest.mark.parametrize("package", ["query", "api"])
def test_a_public_interface_of_the_library_names_all_that_it_exports(package: str) -> None:
    imports = [
        node
        for node in ast.parse((PACKAGE / package / "__init__.py").read_text()).body
        if isinstance(node, ast.ImportFrom)
    ]
    assert [alias.name for node in imports[1:] for alias in node.names if alias.asname != alias.name] == []
