"""Changing a row that others change too: nobody's change is ever overwritten without a word.

A page that shows a row has the row's version and the values that it showed in hidden fields. The write names that
version (`If-Match`). If the row is another version by now, the backend writes nothing, and the three states of each
field are compared: what the page showed, what this user wants, and what is there now.

| changed since the page was shown, by | what happens |
|---|---|
| others alone | their value stays |
| this user alone | it is sent again, with the new version |
| both, to the same value | nothing has to be sent |
| both, to different values | a conflict: nothing is written, and the user chooses |
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from django.http import HttpRequest

from portal.errors import ApiNotFoundError, ApiPreconditionFailedError, ApiUnavailableError
from portal.query import MutationHook, MutationResult, Partial, QueryHook, Row, RowParams
from portal.web.submissions import submission_key
from portal_pages.forms.form_fields import code_text, row_fields, version_in
from portal_pages.forms.forms import BackendForm

TRow = TypeVar("TRow", bound=Row)

#: Before an attribute's name: the name of the hidden field with what the page showed.
SHOWN_PREFIX: Final = "shown-"
#: How often a change is sent in one request while others go on changing other fields of the row.
MOST_TRIES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange(Generic[TRow]):
    """What became of a change.

    :param result: of the last write; None if there was nothing to send, or because of conflicts.
    :param now: the row as the backend has it, if others have changed it since the page was shown; else None.
    :param theirs: attributes that others alone have changed since.
    :param conflicts: attributes that others have changed too, to another value. Then nothing was written.
    :param names: attributes that were sent: not those to which others have given the same value since.
    """

    result: MutationResult[Any] | None = None
    now: TRow | None = None
    theirs: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether the row is now as this user wants it."""
        return not self.conflicts and (self.result is None or self.result.is_success)


def change_row(
    request: HttpRequest,
    *,
    query: QueryHook[TRow, ...],
    mutation: MutationHook[Any, Partial[TRow], RowParams],
    row_id: str,
    body: Partial[TRow],
    shown: BackendForm[TRow] | None = None,
    whole: Partial[TRow] | None = None,
    still: Callable[[TRow], bool] | None = None,
) -> RowChange[TRow]:
    """Change the fields in `body`, unless others have changed them since the page was shown.

    ::

        change = change_row(request, query=…, mutation=…, row_id=row_id, body=WorkOrder.partial(status=DONE))
        if change.conflicts:
            …  # say that somebody else was faster, and show the row
        elif change.result:
            change.result.unwrap()

    The form that sends it has `{{ shown_values(row, ["status"]) }}` in it. It may be sent again, and is done once.

    :param shown: the form that says what the page showed; by default the hidden fields of `shown_values` do.
    :param whole: for a PUT: all fields; those that others have changed are replaced.
    :param still: whether the row may be changed so, as it is; if not, each field is a conflict. By default it may.
    :raises portal.errors.ApiNotFoundError: somebody has deleted the row, or the backend takes no changes of it.
    """
    compared = shown if shown is not None else _SentValues(row=query.data, sent=request.POST)
    write = mutation(request, idempotency_key=submission_key(request))
    version, sent = version_in(request.POST), whole or body
    change: RowChange[TRow] = RowChange(names=tuple(body.fields))
    if still is not None:
        refused = _refused(request, query=query, row_id=row_id, version=version, body=body, still=still)
        if refused is not None:
            return refused
    for _ in range(MOST_TRIES):
        result = write.mutate(body=sent, params=RowParams(id=row_id), if_match=version)
        change = replace(change, result=result)
        if isinstance(result.error, ApiNotFoundError):
            raise result.error
        if version is None or not isinstance(result.error, ApiPreconditionFailedError):
            return change
        found = query(request, id=row_id).refetch()
        if isinstance(found.error, ApiUnavailableError):
            # Nothing was written: the backend has refused the write, and does not answer any more.
            return replace(change, result=not_written(found.error))
        if found.error is not None:
            raise found.error
        now = found.unwrap()
        changed = [name for name in compared.shown_names if compared.showed_another(name, getattr(now, name))]
        mine = _differing(body, now)
        may_change = still is None or still(now)
        conflicts = tuple(name for name in mine if not may_change or compared.showed_another(name, getattr(now, name)))
        change = RowChange(
            result=None if conflicts or not mine else result,
            now=now,
            theirs=tuple(name for name in changed if name not in body.fields),
            conflicts=conflicts,
            names=tuple(mine),
        )
        version = getattr(now, "version", None)
        if conflicts or not mine:
            return change
        sent = replace(body, fields=mine)
        if whole is not None:
            kept = {name: getattr(now, name) for name in whole.fields}
            sent = replace(whole, fields={**kept, **mine})
    return change


def _refused(
    request: HttpRequest,
    *,
    query: QueryHook[TRow, ...],
    row_id: str,
    version: int | None,
    body: Partial[TRow],
    still: Callable[[TRow], bool],
) -> RowChange[TRow] | None:
    """What becomes of a change that the row may not have; None if it may, and if `If-Match` will tell.

    Of a row that is another version by now nothing is said here: the form may be one that was sent twice and is done.
    """
    found = query(request, id=row_id)
    if version is None or getattr(found.data, "version", None) != version:
        found = found.refetch()
        if isinstance(found.error, ApiUnavailableError):
            return RowChange(result=not_written(found.error))
        if found.error is not None:
            raise found.error
    now = found.unwrap()
    mine = tuple(_differing(body, now))
    if not mine or still(now) or (version is not None and getattr(now, "version", None) != version):
        return None
    return RowChange(now=now, conflicts=mine, names=mine)


def not_written(error: ApiUnavailableError) -> MutationResult[Any]:
    """The outcome of a write that was not done, since the row could not be read."""
    refused = ApiUnavailableError(error.detail, retry_after=error.retry_after, was_sent=False)
    return MutationResult(data=None, error=refused)


def _differing(body: Partial[TRow], now: TRow) -> dict[str, object]:
    """The fields that the row does not have so yet."""
    return {name: value for name, value in body.fields.items() if not _same(value, getattr(now, name))}


def _same(one: object, other: object) -> bool:
    """Whether two values are the same for people: an empty text is none, and several values have no order."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return all(each in other for each in one) and all(each in one for each in other)
    return one == other or (_is_empty(one) and _is_empty(other))


def _is_empty(value: object) -> bool:
    return value is None or value == ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SentValues:
    """The hidden fields of the macro `shown_values`: the values as texts. Its methods are those of a form."""

    row: type[Row]
    sent: Mapping[str, str]

    @property
    def shown_names(self) -> Iterable[str]:
        """Attributes that the page showed."""
        return [name for name in row_fields(self.row) if SHOWN_PREFIX + name in self.sent]

    def showed_another(self, name: str, value: object) -> bool:
        """Whether the page showed another value of this attribute; True if it did not show the attribute."""
        return self.sent.get(SHOWN_PREFIX + name) != ("" if value is None else code_text(value))
