"""The audit log's line about a change of an account's permissions."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse

from portal.errors import ApiError, ApiForbiddenError, ApiUnavailableError
from portal.services.iam.accounts import AccountQueries
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, Reason

#: What a line keeps of a list of permissions: their number, and the characters of each.
MOST_PERMISSIONS: Final = 50
MAX_PERMISSION_CHARS: Final = 64
#: Nothing was tried: somebody else has changed them meanwhile, and the page asks again.
_UNTRIED: Final = frozenset({HTTPStatus.OK, HTTPStatus.CONFLICT})
_REASONS: Final = {
    HTTPStatus.SERVICE_UNAVAILABLE: Reason.BACKEND_UNAVAILABLE,
    HTTPStatus.UNPROCESSABLE_ENTITY: Reason.NOT_ACCEPTED,
}


def audited(
    request: HttpRequest, change: Callable[[], HttpResponse], *, account_id: str, wanted: Iterable[str]
) -> HttpResponse:
    """Make the change, and write the line: who changed whose permissions, before and after.

    :param change: sends the form that came to the backend.
    :param wanted: the permissions in the form.
    """
    before = _permissions(request, account_id, anew=True)
    reason: Reason | None
    try:
        response = change()
    except ApiError as error:
        reason = Reason.UNEXPECTED_ANSWER
        if isinstance(error, ApiForbiddenError):
            reason = Reason.NOT_ALLOWED
        elif isinstance(error, ApiUnavailableError):
            reason = Reason.BACKEND_UNAVAILABLE
        _write(reason, account_id=account_id, before=before, after=wanted)
        raise
    status = HTTPStatus(response.status_code)
    if status is HTTPStatus.SEE_OTHER:
        after = _permissions(request, account_id)
        if after is None or set(after) != set(before or ()):
            _write(None, account_id=account_id, before=before, after=wanted if after is None else after)
    elif status not in _UNTRIED:
        reason = _REASONS.get(status, Reason.UNEXPECTED_ANSWER)
        _write(reason, account_id=account_id, before=before, after=wanted)
    return response


def _permissions(request: HttpRequest, account_id: str, *, anew: bool = False) -> tuple[str, ...] | None:
    """As the backend has them; None if it does not say."""
    account = AccountQueries.use_get_account_query(request, id=account_id)
    if anew:
        account = account.refetch()
    return account.data.permissions if account.is_success and account.data is not None else None


def _write(reason: Reason | None, *, account_id: str, before: Iterable[str] | None, after: Iterable[str]) -> None:
    fields: AuditFields = {"target_user": audit.tag_of(account_id), "after": _kept(after)}
    if before is not None:
        fields["before"] = _kept(before)
    if reason is None:
        # The backend took the access token.
        fields["user_verified"] = True
    audit.write(AuditEvent.PERMISSIONS, reason, **fields)


def _kept(permissions: Iterable[str]) -> tuple[str, ...]:
    return tuple(name[:MAX_PERMISSION_CHARS] for name in sorted(permissions)[:MOST_PERMISSIONS])
