"""Declarations for the tests of the comparison: right ones, and a wrong one of each kind. None is registered."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypedDict

from portal.query import (
    ListParams,
    MutationGroup,
    OpenEnum,
    Partial,
    QueryGroup,
    Record,
    Row,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    resource,
)
from portal.query.endpoints import Registry

OWN = Registry()


class Method(OpenEnum):
    CARD = "card"
    TRANSFER = "transfer"


class Line(Record):
    text: str = ""
    parent: Line | None = None


class Payment(Row):
    payer: str | None = None
    amount: Decimal | None = None
    method: Method | None = None
    received_at: datetime | None = None
    lines: tuple[Line, ...] = ()


class PaymentsListParams(ListParams):
    client_id: str | None = None


class ApproveReq(TypedDict):
    note: str


class Summary(Record):
    total: int | None = None
    by_method: dict[str, int] | None = None


_payments = resource("/payments", item=Payment, params=PaymentsListParams, filter_fields={"clientId": None})


class RightQueries(QueryGroup, domain="right", registry=OWN):
    use_get_payments_query = _payments.list
    use_get_payment_query = _payments.detail
    use_get_summary_query = query_endpoint(data=Summary, url="/summary")


class RightMutations(MutationGroup, domain="right", registry=OWN):
    use_create_payment_mutation = _payments.create
    use_update_payment_mutation = _payments.update
    use_delete_payment_mutation = _payments.delete
    use_approve_payment_mutation = mutation_endpoint(
        data=Payment, body=ApproveReq, params=RowParams, url="/payments/{id}/approve", method="POST"
    )


RIGHT: list[Any] = [*OWN.queries.values(), *OWN.mutations.values()]


# --- wrong ones ---


class WrongMethod(OpenEnum):
    CARD = "card"
    CHEQUE = "cheque"


class WrongPayment(Row):
    payer: str = ""
    amount: int | None = None
    method: WrongMethod | None = None
    kind: Literal["a", "b"] | None = None
    recieved_at: datetime | None = None
    lines: tuple[str, ...] = ()


class WrongListParams(ListParams):
    clientid: str | None = None
    limit_to: int | None = None


class WrongReq(TypedDict, total=False):
    note: int
    reason: str


class LacksReq(TypedDict):
    amount: Decimal


class WrongQueries(QueryGroup, domain="wrong", registry=OWN):
    use_get_fields_query = query_endpoint(data=WrongPayment, params=RowParams, url="/payments/{id}")
    use_get_params_query = paginated_query_endpoint(
        item=Payment, params=WrongListParams, url="/payments", filter_fields={"clientid": None, "limitTo": None}
    )
    use_get_list_query = paginated_query_endpoint(item=Payment, params=ListParams, url="/summary")
    use_get_path_query = query_endpoint(data=Payment, url="/paiments")
    use_get_file_query = query_endpoint(data=str, url="/file")
    use_get_required_query = query_endpoint(data=Line, url="/search")


class WrongMutations(MutationGroup, domain="wrong", registry=OWN):
    use_body_mutation = mutation_endpoint(
        data=Payment, body=WrongReq, params=RowParams, url="/payments/{id}/approve", method="POST"
    )
    use_no_body_mutation = mutation_endpoint(
        data=Payment, params=RowParams, url="/payments/{id}/approve", method="POST"
    )
    use_lacks_mutation = mutation_endpoint(data=Payment, body=LacksReq, url="/payments", method="POST")
    use_no_data_mutation = mutation_endpoint(body=Partial[Payment], url="/payments", method="POST")
    use_data_mutation = mutation_endpoint(data=Payment, url="/reset", method="POST")
