"""`Idempotency-Key`: a write that is repeated runs once, and answers twice (contract, sections 7 and 8).

The answer's row is inserted by the transaction that does the work. So a duplicate in flight waits in the database
until the first has committed, and then finds its answer; and where the first failed, nothing is left, and the
duplicate does the work. Only successes are stored: a refusal has changed nothing, and can be tried again.

Answers are sealed (see `sealing`), and end after a while; each new claim removes the ended ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from sandbox_api.auth.authentication import Caller
from sandbox_api.problems import Unauthorized, invalid
from sandbox_api.sealing import seal, unseal

if TYPE_CHECKING:
    from rest_framework.request import Request

    from sandbox_api.api_view import ApiView

HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotent-Replayed"

_KEY = re.compile(r"[\x21-\x7e]{1,255}")

P = ParamSpec("P")
TView = TypeVar("TView", bound="ApiView")


class StoredAnswer(models.Model):
    """The answer to a write that was done under a key."""

    scope = models.CharField(primary_key=True, max_length=64)
    """SHA-256 of principal, method, path and key."""
    body_hash = models.CharField(max_length=64)
    sealed = models.BinaryField(default=b"")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.scope[:8]}…"


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One try of a write under a key."""

    scope: str
    body_hash: str
    secret: bytes
    """What the answer is sealed under; it comes with each try, and is not stored."""
    window: timedelta


def attempt_of(
    request: Request, *, principal: str, secret: str = "", window: timedelta | None = None
) -> Attempt | None:
    """Read the key of a request; `None` where there is none, or where keys are not honoured.

    :param principal: whose key it is: the same key of another principal is another key.
    :param secret: what the answer is sealed under, beside the key itself.
    :raises ValidationError: if the key is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get(HEADER)
    if key is None or not settings.SANDBOX.honour_idempotency_key:
        return None
    if not _KEY.fullmatch(key):
        raise invalid(idempotencyKey="Send 1 to 255 visible ASCII characters.")
    return Attempt(
        scope=_hash("\n".join((principal, request.method or "", request.path, key)).encode()),
        body_hash=_hash(request.body),
        secret=f"{secret}\n{key}".encode(),
        window=window or settings.SANDBOX.idempotency_window,
    )


def run_once(attempt: Attempt | None, *, action: Callable[[], Response]) -> Response:
    """Do the work in one transaction, or give the answer of the time it was done.

    :param attempt: the try, or `None` to do the work whatever was done before.
    :param action: does the work. If it raises, or answers with an error, no answer is stored; what it changed is
        kept only in the latter case.
    :raises ValidationError: if the key was used with another body.
    """
    with transaction.atomic():
        if attempt is None:
            return action()
        known = _claim(attempt)
        if known is not None:
            return _replay(attempt, known)
        response = action()
        claimed = StoredAnswer.objects.filter(scope=attempt.scope)
        if response.status_code < HTTPStatus.BAD_REQUEST:
            claimed.update(sealed=seal(secret=attempt.secret, plaintext=_dump(response)))
        else:
            claimed.delete()
        return response


def idempotent(
    handler: Callable[Concatenate[TView, Request, P], Response],
) -> Callable[Concatenate[TView, Request, P], Response]:
    """Run a view's handler once per key of the signed-in account, each time in a transaction."""

    @wraps(handler)
    def run(view: TView, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> Response:
        if not isinstance(request.auth, Caller):
            raise Unauthorized
        attempt = attempt_of(request, principal=request.auth.account.id)
        return run_once(attempt, action=lambda: view.perform(lambda: handler(view, request, *args, **kwargs)))

    return run


def purge_ended() -> int:
    """Remove the answers that have ended; gives how many."""
    return StoredAnswer.objects.filter(expires_at__lte=timezone.now()).delete()[0]


def _claim(attempt: Attempt) -> StoredAnswer | None:
    """Insert the row of this attempt; gives the row that is there already, if it has not ended."""
    now = timezone.now()
    purge_ended()
    try:
        with transaction.atomic():  # a savepoint: a failed insert would spoil the transaction around it
            StoredAnswer.objects.create(
                scope=attempt.scope, body_hash=attempt.body_hash, expires_at=now + attempt.window
            )
    except IntegrityError:
        return StoredAnswer.objects.get(scope=attempt.scope)
    return None


def _replay(attempt: Attempt, known: StoredAnswer) -> Response:
    plaintext = unseal(secret=attempt.secret, sealed=bytes(known.sealed))
    if known.body_hash != attempt.body_hash or plaintext is None:
        raise invalid(idempotencyKey="This key was used with another request.")
    stored: dict[str, Any] = json.loads(plaintext)
    return Response(stored["data"], status=stored["status"], headers={REPLAYED_HEADER: "true"})


def _dump(response: Response) -> bytes:
    # Rendered before it is stored: dates and decimals are repeated letter for letter.
    data = json.loads(JSONRenderer().render(response.data)) if response.data is not None else None
    return json.dumps({"status": response.status_code, "data": data}).encode()


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
