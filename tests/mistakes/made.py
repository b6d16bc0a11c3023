"""The mistakes, as files of a checkout. A line with a mistake ends with a comment that has its number.

`mistake 7` is told by everybody who tells number 7 of the table; `mistake 7 (mypy)` by mypy.
"""

from __future__ import annotations

import json
from typing import Final

_SERVICES: Final = "packages/portal/services/finance"
_APP: Final = "apps/finance"
_TEMPLATES: Final = f"{_APP}/templates/finance"

#: The resource in which the mistakes are made; without a mistake.
ORDERS: Final = '''\
"""Orders."""

from __future__ import annotations

from decimal import Decimal

from portal.query import MutationGroup, QueryGroup, Row, resource


class Order(Row):
    """An order."""

    buyer: str = ""
    amount: Decimal | None = None


_orders = resource("/finance/orders", item=Order)


class OrderQueries(QueryGroup):
    """The queries."""

    use_get_orders_query = _orders.list
    use_get_order_query = _orders.detail


class OrderMutations(MutationGroup):
    """The mutations."""

    use_create_order_mutation = _orders.create
    use_update_order_mutation = _orders.update
'''

_DECLARATIONS: Final = '''\
"""Declarations that can be imported."""

from __future__ import annotations

from collections.abc import Mapping

from portal.query import MutationGroup, QueryGroup, Record, RowParams, mutation_endpoint
from portal.query import paginated_query_endpoint, query_endpoint
from portal.services.finance.invoices import InvoiceQueries
from portal.services.finance.orders import Order, OrderQueries


class Reading(Record):
    """A row without an id."""

    serial: str = ""


def url_of(params: Mapping[str, str]) -> str:
    """An address."""
    return f"/finance/orders/{params['idd']}"


_post = mutation_endpoint(data=Order, url="/finance/orders", method="POST")


class WrongQueries(QueryGroup):
    """Wrong queries."""

    use_get_nine_query = query_endpoint(data=Order, params=RowParams, url=url_of)  # mistake 9
    use_get_eleven_query = paginated_query_endpoint(item=Reading, url="/finance/readings")  # mistake 11
    use_get_twelve_query = paginated_query_endpoint(item=Reading, url="/x", unique_by="seriel")  # mistake 12


class WrongMutations(MutationGroup):
    """Wrong mutations."""

    use_one_mutation = _post.add_created_to_paginated_list(list_query_key=OrderQueries.use_get_order_query)  # mistake 1
    use_two_mutation = _post.add_created_to_paginated_list(list_query_key="get_odrers")  # mistake 2
    use_three_mutation = _post.add_created_to_paginated_list(list_query_key=InvoiceQueries.use_get_invoices_query)  # mistake 3
    use_many_mutation = _post.add_created_to_paginated_list(
        list_query_key=OrderQueries.use_get_orders_query,
        select_list_item=lambda order: None,  # mistake 14
    )
'''

_OTHERS: Final = '''\
"""Declarations that the backend would not understand."""

from __future__ import annotations

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint
from portal.services.finance.orders import Order


class OtherQueries(QueryGroup):
    """A slip in the path."""

    use_get_ordres_query = paginated_query_endpoint(item=Order, url="/finance/ordres")  # mistake 10


class OtherMutations(MutationGroup):
    """Another method."""

    use_put_order_mutation = mutation_endpoint(data=Order, url="/finance/orders", method="PUT")  # mistake 8
'''

_CALLS: Final = '''\
"""Calls of hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from portal.query import MutationGroup, mutation_endpoint
from portal.services.finance.orders import Order, OrderMutations, OrderQueries

if TYPE_CHECKING:
    from django.http import HttpRequest


class ApprovalReq(TypedDict):
    """What an approval needs."""

    by: str
    reason: str


class ApprovalMutations(MutationGroup):
    """A call in the explicit form."""

    use_approve_mutation = mutation_endpoint(body=ApprovalReq, url="/finance/approvals", method="POST")


def calls(request: HttpRequest) -> None:
    """Each line has one mistake."""
    OrderQueries.use_get_order_query(request)  # mistake 4
    OrderQueries.use_get_orders_query(request, querry="oslo")  # mistake 4
    OrderMutations.use_create_order_mutation(request).mutate()  # mistake 5
    OrderMutations.use_create_order_mutation(request).mutate(body=Order.partial(buyerr="Ada"))  # mistake 6
    OrderMutations.use_create_order_mutation(request).mutate(body=Order.partial(amount="9.90"))  # mistake 6
    ApprovalMutations.use_approve_mutation(request).mutate(body={"by": "Ada"})  # mistake 6
'''

_IMPORTS: Final = '''\
"""Imports that are not an app's."""

import aiohttp  # mistake 17
import http.client  # mistake 17 (ruff)
import httpx  # mistake 17
import requests  # mistake 16 (import contracts)
import socket  # mistake 17
import urllib.request  # mistake 17 (ruff)

import apps.energy.views  # mistake 15

requests.get("/orders")  # mistake 16 (ruff)
'''

_VIEWS: Final = '''\
"""Views that can be told from their text."""

from __future__ import annotations

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse

from portal.services.finance.orders import Order, OrderMutations
from portal_pages import see_other


def views(request):
    """Each line has one mistake."""
    redirect("https://energy.example.com/en")  # mistake 19
    messages.success(request, "The order was created.")  # mistake 21
    render(request, "finance/ordres.html")  # mistake 23
    reverse("ordres")  # mistake 23
    see_other("invoice")  # mistake 23
    OrderMutations.use_create_order_mutation(request).mutate(body=Order.partial())  # mistake 26
'''

_TEMPLATE: Final = """\
{% extends "portal/shell.html" %}
{% block content %}
<a href="https://energy.example.com/en">→</a>{# mistake 19 #}
<p>{{ _("A text without a translation") }}</p>{# mistake 20 #}
<p>A text without a mark</p>{# mistake 21 #}
<p title="A title without a mark">1</p>{# mistake 21 #}
{{ url("ordres") }}{# mistake 23 #}
{{ url("invoice") }}{# mistake 23 #}
{{ icon("ordres") }}{# mistake 23 #}
{{ 1|mony("EUR") }}{# mistake 23 #}
{{ bar_chrt(chart) }}{# mistake 23 #}
{{ PLATFROM }}{# mistake 23 #}
<form method="post">{% include "portal/parts/page_account.html" %}</form>{# mistake 24 #}
<form method="post">{{ csrf_input }}</form>{# mistake 25 #}
{% endblock %}
"""

_DECLARED_PAGES: Final = '''\
"""The pages of the orders."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from portal.services.finance.orders import OrderQueries
from portal_pages import ListView, resource_pages

order_pages = resource_pages(
    "finance/orders",
    name="order",
    title=_("Invoices"),
    list=ListView(hook=OrderQueries.use_get_orders_query),
)
'''

_LIST: Final = """\
{% extends "portal/list.html" %}
{% block row %}
<td>{{ row.buyerr }}</td>{# mistake 22 #}
{% endblock %}
"""

#: What stands at the end of files of the checkout.
ADDED: Final = {
    f"{_APP}/urls.py": """
from apps.finance.views.wrong_pages import order_pages

urlpatterns += order_pages
"""
}

#: The pages and the tests of a team that makes mistakes which only a run shows.
_PAGES: Final = '''\
"""Pages whose mistakes a run shows."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from portal.services.finance.orders import Order, OrderMutations, OrderQueries
from portal.services.finance.wrong_others import OtherMutations, OtherQueries
from portal_pages import platform_page
from portal_pages.urls import platform_patterns

BODY = Order.partial(buyer="Ada")


def mistake_4(request):
    """A parameter that there is not."""
    OrderQueries.use_get_orders_query(request, querry="oslo")


def mistake_5(request):
    """No body."""
    OrderMutations.use_create_order_mutation(request).mutate()


def mistake_8(request):
    """PUT for POST."""
    OtherMutations.use_put_order_mutation(request).mutate()


def mistake_10(request):
    """A slip in the address."""
    OtherQueries.use_get_ordres_query(request)


def mistake_13(request):
    """A write in a page that is only looked at."""
    OrderMutations.use_create_order_mutation(request).mutate(body=BODY)


def mistake_22(request):
    """A field that the row does not have."""
    return render(request, "finance/rows.html", {"rows": [Order(buyer="Ada")]})


def page(view):
    return platform_page(f"finance/{view.__name__}", lambda request: view(request) or HttpResponse(), name=view.__name__)


urlpatterns = platform_patterns(
    pages=[page(view) for view in (mistake_4, mistake_5, mistake_8, mistake_10, mistake_13, mistake_22)]
)
'''

_TESTS: Final = '''\
"""A team's tests of those pages."""

import pytest


@pytest.mark.parametrize(("number", "method"), [(4, "get"), (5, "post"), (8, "post"), (10, "get"), (13, "get"), (22, "get")])
def test_mistake(signed_in, settings, number, method):
    settings.ROOT_URLCONF = "apps.finance.mistaken_urls"
    getattr(signed_in("FINANCE_APP"), method)(f"/en/finance/mistake_{number}")
'''


#: A backend's schema, which has the calls of the orders alone.
SCHEMA: Final = "schema.json"
_ANSWER: Final = {"responses": {"200": {"description": "an order"}}}


def _module(line: str) -> str:
    return f'"""One mistake."""\n\nfrom portal.query import MutationGroup, RowParams, mutation_endpoint\n\n{line}\n'


#: Path in the checkout, to the text of the file.
FILES: Final = {
    f"{_SERVICES}/orders.py": ORDERS,
    f"{_SERVICES}/wrong_declarations.py": _DECLARATIONS,
    f"{_SERVICES}/wrong_calls.py": _CALLS,
    f"{_SERVICES}/wrong_others.py": _OTHERS,
    f"{_APP}/views/wrong_imports.py": _IMPORTS,
    f"{_APP}/views/wrong_views.py": _VIEWS,
    f"{_APP}/views/wrong_pages.py": _DECLARED_PAGES,
    f"{_TEMPLATES}/orders/list.html": _LIST,
    f"{_TEMPLATES}/wrong.html": _TEMPLATE,
    f"{_TEMPLATES}/wrong_layout.html": '{% extends "portal/shel.html" %}{# mistake 23 #}\n',
    f"{_TEMPLATES}/wrong_part.html": '{% include "portal/parts/toast.html" %}{# mistake 23 #}\n',
    f"{_TEMPLATES}/rows.html": "{% for row in rows %}{{ row.buyerr }}{% endfor %}\n",
    f"{_APP}/mistaken_urls.py": _PAGES,
    "tests/apps/finance/test_mistaken_pages.py": _TESTS,
    SCHEMA: json.dumps({"openapi": "3.1.0", "paths": {"/finance/orders": {"get": _ANSWER, "post": _ANSWER}}}),
}
#: Those that hide others: a module that can't be imported, a template of which nobody knows the texts.
HIDING: Final = {
    f"{_SERVICES}/wrong_method.py": _module('mutation_endpoint(url="/finance/orders", method="GET")  # mistake 7'),
    f"{_SERVICES}/wrong_template.py": _module(
        'mutation_endpoint(url="/x/{idd}", params=RowParams, method="POST")  # mistake 9'
    ),
    f"{_SERVICES}/wrong_origin.py": _module(
        'mutation_endpoint(url="https://api.example.com/orders", method="POST")  # mistake 18'
    ),
    f"{_TEMPLATES}/wrong_tag.html": "{% fro x in y %}{# mistake 23 #}\n",
}
