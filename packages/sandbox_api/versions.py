"""Versions of rows: who changes a row says which version they saw, and nobody overwrites what they did not see.

A row's version is a number that each change raises by one. Answers carry it as their `ETag`; PATCH and DELETE honour
`If-Match` (RFC 9110, section 13.1.1), and change nothing where it names another version: 412.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.db import models
from django.db.models import QuerySet
from rest_framework.exceptions import APIException

if TYPE_CHECKING:
    from rest_framework.request import Request

HEADER: Final = "If-Match"

_TAG = re.compile(r'(W/)?"([^"]*)"')

TRow = TypeVar("TRow", bound="VersionedModel")


class PreconditionFailed(APIException):
    """412."""

    status_code = HTTPStatus.PRECONDITION_FAILED
    default_detail = "This was changed since you read it."


class VersionedModel(models.Model):
    """A row that can be changed."""

    version = models.PositiveIntegerField(default=1, editable=False)
    """Raised by each change; whoever saves a row that is there holds it locked (:func:`locked`)."""

    class Meta:
        abstract = True

    def save(
        self,
        *,
        force_insert: Any = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        """Save, as the next version where the row is there already."""
        if not self._state.adding:
            self.version += 1
            update_fields = None if update_fields is None else {*update_fields, "version"}
        super().save(force_insert=force_insert, force_update=force_update, using=using, update_fields=update_fields)


def locked(rows: QuerySet[TRow]) -> QuerySet[TRow]:
    """Give the rows to one transaction at a time: what it reads of them stays so until it ends.

    SQLite has no such lock and needs none: its transactions hold the write lock from their beginning.
    """
    return rows.select_for_update(of=("self",))


def require_match(row: VersionedModel, request: Request) -> None:
    """Refuse a change of a row that is not as its caller saw it.

    :param row: locked, so that it stays as it is compared.
    :raises PreconditionFailed: if the request has an `If-Match` that names another version, or is malformed.
    """
    wanted = request.headers.get(HEADER)
    if wanted is None or wanted.strip() == "*":
        return
    # Compared strongly: a weak tag matches nothing.
    tags = [tag for weak, tag in _TAG.findall(wanted) if not weak]
    if str(row.version) not in tags:
        raise PreconditionFailed


def entity_tag(row: Any) -> str | None:
    """Give the `ETag` of a row as it stands in an answer; `None` where it has no version."""
    version = row.get("version") if isinstance(row, dict) else None
    return None if version is None else f'"{version}"'
