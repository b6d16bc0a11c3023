"""The mistakes, as files of a checkout. A line with a mistake ends with a comment that has its number.

`mistake 7` is told by everybody who tells number 7 of the table; `mistake 7 (mypy)` by mypy.
"""

import json
from typing import Final

_SERVICES: Final = "packages/portal/services/finance"
_OTHER_SERVICES: Final = "packages/portal/services/energy"
_APP: Final = "apps/finance"
_TEMPLATES: Final = f"{_APP}/templates/finance"

#: The resource in which the mistakes are made; without a mistake.
ORDERS: Final = """\
from decimal import Decimal
from portal.query import MutationGroup, QueryGroup, Row, resource
class Order(Row):
    buyer: str = ""
    amount: Decimal | None = None
_orders = resource("/finance/orders", item=Order)
class OrderQueries(QueryGroup):
    use_get_orders_query = _orders.list
    use_get_order_query = _orders.detail
class OrderMutations(MutationGroup):
    use_create_order_mutation = _orders.create
    use_update_order_mutation = _orders.update
"""

_DECLARATIONS: Final = """\
from collections.abc import Mapping
from portal.query import MutationGroup, QueryGroup, Record, RowParams, mutation_endpoint
from portal.query import paginated_query_endpoint, query_endpoint
from portal.services.finance.invoices import InvoiceQueries
from portal.services.finance.orders import Order, OrderQueries
class Reading(Record):
    serial: str = ""
def url_of(params: Mapping[str, str]) -> str:
    return f"/finance/orders/{params['idd']}"
_post = mutation_endpoint(data=Order, url="/finance/orders", method="POST")
class WrongQueries(QueryGroup):
    use_get_nine_query = query_endpoint(data=Order, params=RowParams, url=url_of)  # mistake 9
    use_get_eleven_query = paginated_query_endpoint(item=Reading, url="/finance/readings")  # mistake 11
    use_get_twelve_query = paginated_query_endpoint(item=Reading, url="/x", unique_by="seriel")  # mistake 12
class WrongMutations(MutationGroup):
    use_one_mutation = _post.add_created_to_paginated_list(list_query_key=OrderQueries.use_get_order_query)  # mistake 1
    use_two_mutation = _post.add_created_to_paginated_list(list_query_key="get_odrers")  # mistake 2
    use_three_mutation = _post.add_created_to_paginated_list(list_query_key=InvoiceQueries.use_get_invoices_query)  # mistake 3
    use_many_mutation = _post.add_created_to_paginated_list(
        list_query_key=OrderQueries.use_get_orders_query,
        select_list_item=lambda order: None,  # mistake 14
    )
"""

_OTHERS: Final = """\
from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint
from portal.services.finance.orders import Order
class OtherQueries(QueryGroup):
    use_get_ordres_query = paginated_query_endpoint(item=Order, url="/finance/ordres")  # mistake 10
class OtherMutations(MutationGroup):
    use_put_order_mutation = mutation_endpoint(data=Order, url="/finance/orders", method="PUT")  # mistake 8, mistake 29
"""

_CALLS: Final = """\
from django.http import HttpRequest
from portal.services.finance.orders import Order, OrderMutations, OrderQueries
def calls(request: HttpRequest) -> None:
    OrderQueries.use_get_order_query(request)  # mistake 4
    OrderQueries.use_get_orders_query(request, querry="oslo")  # mistake 4
    OrderMutations.use_create_order_mutation(request).mutate()  # mistake 5
    OrderMutations.use_create_order_mutation(request).mutate(body=Order.partial(buyerr="Ada"))  # mistake 6
"""

_IMPORTS: Final = """\
import http.client  # mistake 17 (ruff)
import httpx  # mistake 17
import requests  # mistake 16 (imports)
import socket  # mistake 17
import urllib.request  # mistake 17 (ruff)
import apps.energy.views  # mistake 15
requests.get("/orders")  # mistake 16 (ruff)
"""

_VIEWS: Final = """\
import logging
from django.contrib import messages
from django.http import HttpResponse
from portal.services.finance.orders import Order, OrderMutations
from portal_pages import Column, see_other
logger = logging.getLogger(__name__)
def views(request):
    logger.info("token %s", request.COOKIES["VAR_ACCESS_TOKEN"])  # mistake 26
    HttpResponse().set_cookie("VAR_ACCESS_TOKEN", "x")  # mistake 27
    Column("Amount"), HttpResponse("It was paid.")  # mistake 20
    messages.success(request, "The order was created.")  # mistake 20
    see_other("invoise")  # mistake 22
    OrderMutations.use_create_order_mutation(request).mutate(body=Order.partial())  # mistake 25
"""

_TEMPLATE: Final = """\
{% extends "portal/shell.html" %}
{% block content %}
<p>{{ _("A text without a translation") }}</p>{# mistake 19 #}
<p>A text without a mark</p>{# mistake 20 #}
{{ url("ordres") }}{# mistake 22 #}
{{ request.COOKIES.VAR_ACCESS_TOKEN }}{# mistake 28 #}
<form method="post">{% include "portal/parts/page_account.html" %}</form>{# mistake 23 #}
<form method="post">{{ csrf_input }}</form>{# mistake 24 #}
{% endblock %}
"""

_DECLARED_PAGES: Final = """\
from django.utils.translation import gettext_lazy as _
from portal.services.finance.orders import OrderQueries
from portal_pages import ListView, resource_pages
order_pages = resource_pages(
    "finance/orders",
    name="order",
    title=_("Invoices"),
    list=ListView(hook=OrderQueries.use_get_orders_query),
)
"""

_LIST: Final = """\
{% extends "portal/list.html" %}
{% block row %}
<td>{{ row.buyerr }}</td>{# mistake 21 #}
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
_PAGES: Final = """\
from django.http import HttpResponse
from django.shortcuts import render
from portal.services.finance.orders import Order, OrderMutations, OrderQueries
from portal.services.finance.wrong_others import OtherMutations, OtherQueries
from portal_pages import platform_page
from portal_pages.urls import platform_patterns
BODY = Order.partial(buyer="Ada")
def mistake_4(request):
    OrderQueries.use_get_orders_query(request, querry="oslo")
def mistake_5(request):
    OrderMutations.use_create_order_mutation(request).mutate()
def mistake_8(request):
    OtherMutations.use_put_order_mutation(request).mutate()
def mistake_10(request):
    OtherQueries.use_get_ordres_query(request)
def mistake_13(request):
    OrderMutations.use_create_order_mutation(request).mutate(body=BODY)
def mistake_21(request):
    return render(request, "finance/rows.html", {"rows": [Order(buyer="Ada")]})
def mistake_27(request):
    response = HttpResponse()
    response.set_cookie("VAR_ACCESS_TOKEN", "x")
    return response
def mistake_30(request):
    pass
def page(view):
    return platform_page(f"finance/{view.__name__}", lambda request: view(request) or HttpResponse(), name=view.__name__)
VIEWS = mistake_4, mistake_5, mistake_8, mistake_10, mistake_13, mistake_21, mistake_27, mistake_30
urlpatterns = platform_patterns(pages=[page(view) for view in VIEWS])
"""

_TESTS: Final = """\
import pytest
METHODS = {4: "get", 5: "post", 8: "post", 10: "get", 13: "get", 21: "get", 27: "get", 30: "get"}
@pytest.mark.parametrize(("number", "method"), METHODS.items())
def test_mistake(signed_in, backend, settings, number, method):
    settings.ROOT_URLCONF = "apps.finance.mistaken_urls"
    settings.DEBUG = number == 27  # as on a developer's machine
    browser = signed_in("FINANCE_AP" if number == 30 else "FINANCE_APP")
    getattr(browser, method)(f"/en/finance/mistake_{number}")
"""


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
    f"{_TEMPLATES}/rows.html": "{% for row in rows %}{{ row.buyerr }}{% endfor %}\n",
    f"{_APP}/mistaken_urls.py": _PAGES,
    "tests/apps/finance/test_mistaken_pages.py": _TESTS,
    SCHEMA: json.dumps({"openapi": "3.1.0", "paths": {"/finance/orders": {"get": _ANSWER, "post": _ANSWER}}}),
}
#: Those that hide others: modules that can't be imported. They are another app's.
HIDING: Final = {
    f"{_OTHER_SERVICES}/wrong_method.py": _module(
        'mutation_endpoint(url="/finance/orders", method="GET")  # mistake 7'
    ),
    f"{_OTHER_SERVICES}/wrong_template.py": _module(
        'mutation_endpoint(url="/x/{idd}", params=RowParams, method="POST")  # mistake 9'
    ),
    f"{_OTHER_SERVICES}/wrong_origin.py": _module(
        'mutation_endpoint(url="https://api.example.com/orders", method="POST")  # mistake 18'
    ),
}
