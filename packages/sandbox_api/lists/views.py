"""Views for lists and single rows; a resource names its rows, its serializer and its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.lists.pages import read_page
from sandbox_api.lists.parameters import read_parameters
from sandbox_api.lists.spec import MAX_LIMIT, ListSpec

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from rest_framework.request import Request
    from rest_framework.serializers import BaseSerializer

_PARAMETERS = [
    OpenApiParameter("cursor", str, description="`nextCursor` of the page before."),
    OpenApiParameter("limit", int, description=f"Rows per page, 1 to {MAX_LIMIT}; 20 where it is missing."),
    OpenApiParameter("q", str, description="Words to look for, without case and accents; a row has them all."),
]
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

    def represent(self, row: Model) -> dict[str, Any]:
        """Give a row as it stands in an answer."""
        return dict(self.serializer_class(row).data)


class ListView(RowView):
    """`GET` of a list: `{"items", "hasNext", "nextCursor", "total"}`."""

    spec: ClassVar[ListSpec]

    def get(self, request: Request) -> Response:
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


class DetailView(RowView):
    """`GET` of one row."""

    def get(self, request: Request, row_id: str) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the row."""
        return Response(self.represent(self.get_row(row_id)))


def document_list(view: type[ListView]) -> type[ListView]:
    """Tell OpenAPI what a list takes and gives."""
    item = view.serializer_class
    page: Any = type(
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
    filters = [OpenApiParameter(name, str, description="Exact match.") for name in view.spec.filters]
    sorts = [sign + name for name in view.spec.sorts for sign in ("", "-")]
    parameters = [
        *_PARAMETERS,
        OpenApiParameter("sort", str, enum=sorts, description=_SORT),
        *filters,
    ]
    return extend_schema(
        methods=["GET"],
        parameters=parameters,
        responses=page,
    )(view)
