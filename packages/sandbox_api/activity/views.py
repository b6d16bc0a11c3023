"""What is done with rows is recorded, and `<list>/{id}/activity` tells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from sandbox_api.activity.models import Activity
from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.idempotency import idempotent
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, RowView, document_list
from sandbox_api.texts import LinesField
from sandbox_api.versions import locked

if TYPE_CHECKING:
    from rest_framework.request import Request

    from sandbox_api.auth.authentication import Caller

MAX_NOTE_LENGTH: Final = 2000
_KINDS: Final = {"POST": Activity.Kind.CREATED, "PATCH": Activity.Kind.CHANGED, "DELETE": Activity.Kind.DELETED}
_VERSION: Final = "version"


def record(caller: Caller, kind: Activity.Kind, row_id: str, **fields: Any) -> Activity:
    """Add an entry to the history of a row."""
    account = caller.account
    return Activity.objects.create(row_id=row_id, kind=kind, account_id=account.id, account_name=account.name, **fields)


class RecordedRows(RowView):
    """Rows whose idempotent writes are recorded, in the transaction of the write."""

    #: What a POST does with a row that there is.
    does: ClassVar = Activity.Kind.CHANGED

    def perform(self, action: Callable[[], Response]) -> Response:
        """Write, and record what was written. A change that changes nothing is not recorded."""
        row_id: str = self.kwargs.get("row_id", "")
        kind = self.does if row_id and self.request.method == "POST" else _KINDS[self.request.method or ""]
        is_change = kind == Activity.Kind.CHANGED
        before = self._as_sent(get_object_or_404(locked(self.rows()), pk=row_id)) if is_change else {}
        response = action()
        after = self._as_sent(self.get_row(row_id)) if is_change else {}
        changes = [
            {"field": field, "before": value, "after": after[field]}
            for field, value in before.items()
            if field != _VERSION and value != after[field]
        ]
        if changes or not is_change:
            record(self.caller, kind, row_id or response.data["id"], changes=changes)
        return response

    def _as_sent(self, row: Any) -> dict[str, Any]:
        sent: dict[str, Any] = json.loads(JSONRenderer().render(self.represent(row)))
        return sent


class FieldChangeSerializer(serializers.Serializer[Any]):
    """One field of a change: its name and its values on the wire."""

    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class ActivitySerializer(CamelCaseSerializer[Activity]):
    """An entry of a history."""

    changes = FieldChangeSerializer(many=True, read_only=True)

    class Meta:
        model = Activity
        fields = ("id", "kind", "created_at", "account_id", "account_name", "changes", "text")


class NoteRequest(serializers.Serializer[Any]):
    """`{"text"}`: one or several lines."""

    text = LinesField(max_length=MAX_NOTE_LENGTH)


def activity_of(view: type[DetailView], resource: str) -> type[ListView]:
    """Make the view of the history of one row, newest first, and of the notes on it.

    :param view: of the row, whose permission is that of the history.
    :param resource: the name of its list.
    """

    class ActivityView(ListView):
        """List what was done with a row, and write a note on it."""

        required_permission = view.required_permission
        serializer_class = ActivitySerializer
        spec = ListSpec(resource=f"{resource}_activity", sorts={"createdAt": "created_at"}, searched=())

        def rows(self) -> QuerySet[Activity]:
            """Give the entries of the row.

            :raises Http404: the caller may see no such row.
            """
            row = view().get_row(self.kwargs["row_id"])
            return Activity.objects.filter(row_id=row.pk)

        @extend_schema(request=NoteRequest, responses={HTTPStatus.CREATED: ActivitySerializer})
        @idempotent
        def post(self, request: Request, row_id: str) -> Response:
            """Write a note."""
            view().get_row(row_id)
            form = NoteRequest(data=request.data)
            form.is_valid(raise_exception=True)
            note = record(self.caller, Activity.Kind.NOTE, row_id, text=form.validated_data["text"])
            return Response(self.represent(note), status=HTTPStatus.CREATED)

    return document_list(ActivityView)
