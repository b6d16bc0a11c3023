"""Views for lists, their counts and totals, and single rows; a resource names its rows, serializer and options."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.lists.counts import BY, read_counts
from sandbox_api.lists.pages import read_page
from sandbox_api.lists.parameters import read_parameters
from sandbox_api.lists.spec import FROM_SUFFIX, MAX_LIMIT, TO_SUFFIX, ListSpec
from sandbox_api.lists.totals import OF, read_totals
from sandbox_api.versions import entity_tag, locked, require_match

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.serializers import BaseSerializer

TFigures = TypeVar("TFigures", bound="RowView")

_PARAMETERS = [
    OpenApiParameter("cursor", str, description="`nextCursor` of the page before."),
    OpenApiParameter("limit", int, description=f"Rows per page, 1 to {MAX_LIMIT}; 20 where it is missing."),
]
_SEARCH = OpenApiParameter("q", str, description="Words to look for, without case and accents; a row has them all.")
_VALUES = "Exact match with one of these."
_COUNTS = {
    "type": "object",
    "description": "Field to value to number of rows.",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}},
}
_TOTALS = {
    "type": "object",
    "required": ["total", "sums"],
    "properties": {
        "total": {"type": "integer"},
        "sums": {
            "type": "object",
            "description": "Field to sum; of money, currency to a decimal.",
            "additionalProperties": {
                "oneOf": [{"type": "number"}, {"type": "object", "additionalProperties": {"type": "string"}}]
            },
        },
    },
}
_SORT = "A field, with `-` before it for the other direction; `-createdAt` where it is missing."


class RowView(ApiView):
    """What lists and single rows of a resource share."""

    serializer_class: ClassVar[type[BaseSerializer[Any]]]

    def rows(self) -> QuerySet[Any]:
        """Give all rows that the caller may see."""
        raise NotImplementedError

    def get_row(self, row_id: str) -> Any:
        """Give one row.

        :raises Http404: if the caller may see none with this id.
        """
        return get_object_or_404(self.rows(), pk=row_id)

    def get_row_to_change(self, request: Request, row_id: str) -> Any:
        """Give one row that has versions, locked until the transaction ends.

        :raises Http404: if the caller may see none with this id.
        :raises PreconditionFailed: if it is not the version that the request wants to change.
        """
        row = get_object_or_404(locked(self.rows()), pk=row_id)
        require_match(row, request)
        return row

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Name the version of a single row, also in an answer that is repeated."""
        response = super().finalize_response(request, response, *args, **kwargs)
        tag = entity_tag(getattr(response, "data", None))
        if tag is not None:
            response["ETag"] = tag
        return response

    def represent(self, row: Model) -> dict[str, Any]:
        """Give a row as it stands in an answer."""
        return dict(self.serializer_class(row).data)


class ListView(RowView):
    """`GET` of a list: `{"items", "hasNext", "nextCursor", "total"}`."""

    spec: ClassVar[ListSpec]

    def get(self, request: Request, **_of_the_path: str) -> Response:
        """Give one page."""
        rows = self.rows()
        page = read_page(
            rows=rows,
            spec=self.spec,
            parameters=read_parameters(query=request.query_params.dict(), spec=self.spec, model=rows.model),
        )
        return Response(
            {
                "items": self.serializer_class(page.rows, many=True).data,
                "hasNext": page.next_cursor is not None,
                "nextCursor": page.next_cursor,
                "total": page.total,
            }
        )


class CountsView(RowView):
    """`GET` of `<list>/counts`: `{"status": {"open": 12, …}, …}` for `by=status,…`."""

    spec: ClassVar[ListSpec]

    def get(self, request: Request) -> Response:
        """Count the rows by each field in `by`, with all parameters of the list but the field's own."""
        return Response(read_counts(rows=self.rows(), spec=self.spec, query=request.query_params.dict()))


class TotalsView(RowView):
    """`GET` of `<list>/totals`: `{"total": 12, "sums": {"amount": {"EUR": "9.90"}, …}}` for `of=amount,…`."""

    spec: ClassVar[ListSpec]

    def get(self, request: Request) -> Response:
        """Count the rows, and add up each figure in `of`, with all parameters of the list."""
        return Response(read_totals(rows=self.rows(), spec=self.spec, query=request.query_params.dict()))


class DetailView(RowView):
    """`GET` of one row."""

    def get(self, request: Request, row_id: str) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the row."""
        return Response(self.represent(self.get_row(row_id)))


def document_list(view: type[ListView]) -> type[ListView]:
    """Tell OpenAPI what a list takes and gives."""
    sorts = [sign + name for name in view.spec.sorts for sign in ("", "-")]
    parameters = [
        *_PARAMETERS,
        _SEARCH,
        OpenApiParameter("sort", str, enum=sorts, description=_SORT),
        *_conditions(view.spec),
    ]
    return extend_schema(
        methods=["GET"],
        parameters=parameters,
        responses=_page_of(view.serializer_class),
    )(view)


_PAGES: dict[object, Any] = {}


def _page_of(item: type[BaseSerializer[Any]]) -> Any:
    """One class for each kind of row: the lists of one kind have the same page."""
    return _PAGES.get(item) or _PAGES.setdefault(item, _new_page(item))


def _new_page(item: type[BaseSerializer[Any]]) -> Any:
    return type(
        f"{item.__name__.removesuffix('Serializer')}Page",
        (serializers.Serializer,),
        {
            "__doc__": "One page of a list.",
            "items": item(many=True),
            "hasNext": serializers.BooleanField(),
            "nextCursor": serializers.CharField(allow_null=True),
            "total": serializers.IntegerField(),
        },
    )


def counts_of(view: type[ListView]) -> type[CountsView]:
    """Make the view that counts the rows of a list."""
    names = ", ".join(f"`{name}`" for name in view.spec.filter_names)
    return _beside(view, CountsView, "Counts", by=BY, names=names, answer=_COUNTS)


def totals_of(view: type[ListView]) -> type[TotalsView]:
    """Make the view that adds up the rows of a list."""
    return _beside(
        view, TotalsView, "Totals", by=OF, names=", ".join(f"`{name}`" for name in view.spec.sums), answer=_TOTALS
    )


def _beside(
    view: type[ListView], kind: type[TFigures], name: str, *, by: str, names: str, answer: dict[str, Any]
) -> type[TFigures]:
    """Make a view of figures of a list's rows; `by` is its own parameter, which takes some of the `names`."""
    made: type[TFigures] = type(
        f"{view.__name__.removesuffix('View')}{name}View",
        # What tells its rows and their permission, without what lists them.
        (*(base for base in view.__bases__ if base is not ListView), kind),
        {"spec": view.spec, "__doc__": kind.__doc__, "__module__": view.__module__},
    )
    own = OpenApiParameter(by, str, required=True, description=f"Some of {names}, with commas between them.")
    return extend_schema(
        methods=["GET"],
        parameters=[own, _SEARCH, *_conditions(view.spec)],
        responses={(HTTPStatus.OK, "application/json"): answer},
    )(made)


def _conditions(spec: ListSpec) -> list[OpenApiParameter]:
    filters = [
        OpenApiParameter(name, str, many=True, style="form", explode=False, description=_VALUES)
        for name in spec.filter_names
    ]
    limits = [
        OpenApiParameter(f"{name}{suffix}", datetime, description=meaning)
        for name in spec.ranges
        for suffix, meaning in ((FROM_SUFFIX, "Not before this moment."), (TO_SUFFIX, "Before this moment."))
    ]
    return [*filters, *limits]
