"""The backend calls of one request: bearer and refresh by `ApiSession`, further tries here."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from portal.api.call_log import Attempt
from portal.api.response_limits import usable_body
from portal.api.tokens import SignInStatus
from portal.config.limits import MUTATION_RETRIES, QUERY_RETRIES, REQUEST_BUDGET_S, RETRY_STATUSES
from portal.config.wire_names import HONOURS_IDEMPOTENCY_KEY
from portal.errors import ApiError, ApiNotFoundError, ApiUnavailableError, SignInEndedError
from portal.process import Deadline
from portal.query.retries import Retries

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.session import ApiSession
    from portal.api.tokens import TokenStore
    from portal.query.endpoints import Address, WriteRequest


class Share(Deadline):
    """A part of another deadline's time: it passes with that one, or earlier.

    :param seconds: from now.
    """

    __slots__ = ("_kept_back", "_whole")

    def __init__(self, whole: Deadline, *, seconds: float) -> None:
        super().__init__(seconds)
        self._whole = whole
        self._kept_back = max(0.0, whole.remaining() - seconds)

    def remaining(self) -> float:
        """Seconds left of the part."""
        return max(0.0, self._whole.remaining() - self._kept_back)

    @property
    def passed(self) -> bool:
        """Whether there is no time left."""
        return self.remaining() <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendCaller:
    """Calls the backend as one user, within one request's time.

    :param limit: the time of all calls together; without one, each has as much as a request has for all.
    :param request_id: sent along, so that the backend's log can be held against ours.
    :param user_agent: sent along, so that the backend can name the browser among the user's sign-ins.
    """

    api: ApiSession
    tokens: TokenStore
    limit: Deadline | None = None
    request_id: str | None = None
    user_agent: str | None = None
    retries: Retries = field(default_factory=Retries)

    @property
    def deadline(self) -> Deadline:
        """Until when a call that begins now may take, with its further tries."""
        return self.limit or Deadline(REQUEST_BUDGET_S)

    def ensure_fresh(self) -> None:
        """Refresh an access token that has expired by its own claim (contract, section 8).

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: no fresh one can be had now.
        """
        self.api.refresher.ensure_fresh(self.tokens, deadline=self.deadline, request_id=self.request_id)

    def end_if_signed_out(self) -> None:
        """End the request if its tokens were signed out (contract, section 8). Where that is unknown it goes on.

        :raises SignInEndedError: they were; the tokens are cleared.
        """
        pair = self.tokens.current
        status = self.api.refresher.sign_in_status(pair)
        if status is SignInStatus.SIGNED_OUT and self.tokens.end(refused=pair.refresh):
            raise SignInEndedError("this sign-in was signed out")

    def read(
        self,
        where: Address,
        *,
        budget: Deadline | None = None,
        bearer: str | None = None,
        tries: int = 1 + QUERY_RETRIES,
        may_repeat: Callable[[ApiError], bool] = lambda _error: True,
    ) -> Any:
        """GET, with up to two further tries; gives the answer's JSON.

        :param budget: of all tries together; by default all the time that is left.
        :param bearer: this access token in place of the request's; it is not refreshed.
        :param may_repeat: a last word on whether to try again.
        :raises ApiError: that of the last try.
        """
        budget = budget or self.deadline
        return self.retries.run(
            lambda number: self._call(
                method="GET", where=where, budget=budget, bearer=bearer, attempt=Attempt(number, tries)
            ),
            retries=tries - 1,
            budget=budget,
            may_repeat=may_repeat,
        )

    def write(self, write: WriteRequest) -> Any:
        """Send a write, with one further try under the same `Idempotency-Key`; gives the answer's JSON.

        :raises ApiError: that of the last try.
        """
        where = write.address()
        body = {"json": write.variables.body} if write.has_body else {}
        key = write.idempotency_key or str(uuid.uuid4())
        budget = self.deadline

        def attempt(number: int) -> Any:
            try:
                return self._call(
                    method=write.method,
                    where=where,
                    budget=budget,
                    attempt=Attempt(number, 1 + MUTATION_RETRIES),
                    idempotency_key=key,
                    **body,
                )
            except ApiNotFoundError:
                if write.method == "DELETE" and number > 1:
                    # The first try, whose answer was lost, has deleted it (contract, section 8).
                    return None
                raise

        return self.retries.run(
            attempt,
            retries=MUTATION_RETRIES,
            budget=budget,
            may_repeat=lambda error: may_repeat_write(write, error),
        )

    def _call(self, *, method: str, where: Address, budget: Deadline, **options: Any) -> Any:
        answer = self.api.call(
            tokens=self.tokens,
            method=method,
            path=where.path,
            params=where.query or None,
            deadline=budget,
            request_id=self.request_id,
            user_agent=self.user_agent,
            **options,
        )
        return usable_body(answer.data, endpoint=f"{method} {where.path}")


def may_repeat_write(
    write: WriteRequest, error: ApiError, *, honours_idempotency_key: bool = HONOURS_IDEMPOTENCY_KEY
) -> bool:
    """Whether a write may be sent again (contract, section 8).

    Where the backend does not honour `Idempotency-Key`, a POST only if it was certainly not sent.
    """
    return write.method != "POST" or honours_idempotency_key or not may_have_arrived(error)


def may_have_arrived(error: ApiError) -> bool:
    """Whether the backend may have done what was asked, although this came back."""
    if error.status is None:
        return isinstance(error, ApiUnavailableError) and error.was_sent
    return (
        error.status < HTTPStatus.BAD_REQUEST
        or error.status in RETRY_STATUSES
        or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    )
