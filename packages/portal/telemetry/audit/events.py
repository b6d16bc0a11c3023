"""What the audit log tells: its events, the reasons of those that failed, and its fields.

The reference page is made of these tables: docs/reference/audit-log.md.
"""

from enum import Enum
from typing import Final, TypedDict


class Outcome(Enum):
    """How an event ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"


OUTCOMES: Final = {
    Outcome.SUCCESS: "it was done",
    Outcome.FAILURE: "it was tried and refused",
    Outcome.THROTTLED: "it was not tried: a limit on tries was reached",
    Outcome.UNAVAILABLE: "another service did not answer: not tried, or nobody knows",
}


class AuditEvent(Enum):
    """An event, whose name with hyphens stands in the line, and what it means."""

    SIGN_IN = "a try to sign in, with a password or at the OpenID provider"
    SIGN_OUT = "a user signed out, in this browser"
    SIGN_OUT_EVERYWHERE = "a user ended all own sign-ins; each other sign-in has a line `sign-out-other`"
    SIGN_OUT_OTHER = "a user ended another own sign-in, on another device"
    SIGN_OUT_BY_PROVIDER = "the OpenID provider reported the end of one or all sessions of a user (back-channel logout)"
    SIGN_OUT_BY_OPERATOR = "an operator ended all sign-ins of a user"
    REFRESH = "a sign-in ended, because its tokens could not be refreshed"
    PERMISSIONS = "an administrator changed the permissions of an account"
    PASSWORD_RESET_REQUEST = "a request for a link to choose a new password"  # noqa: S105  what it means
    PASSWORD_RESET = "a new password by such a link; all sign-ins of the account ended"  # noqa: S105  as above

    def __init__(self, meaning: str) -> None:
        self.label = self.name.lower().replace("_", "-")
        self.meaning = meaning


class Reason(Enum):
    """Why an event was no success, whose name with hyphens stands in the line: the outcome, and what it means."""

    WRONG_CREDENTIALS = Outcome.FAILURE, "no such account, or a wrong password"
    TOKEN_UNUSABLE = Outcome.FAILURE, "the issued tokens are larger than browsers keep, or can't be read"
    UNEXPECTED_ANSWER = Outcome.FAILURE, "the backend refused, whatever the user typed; see the log"
    CANCELLED = Outcome.FAILURE, "cancelled at the provider, or the provider refused the account"
    UNKNOWN_ATTEMPT = Outcome.FAILURE, "not begun in this browser, or too long ago"
    CODE_REFUSED = Outcome.FAILURE, "the provider refused the code: used before, or too old"
    PROVIDER_ERROR = Outcome.FAILURE, "the provider reported an error"
    ID_TOKEN_REFUSED = Outcome.FAILURE, "the ID token is forged, too old, or meant for somebody else"
    LOGOUT_TOKEN_REFUSED = Outcome.FAILURE, "the token of a back-channel logout is forged, too old, or not for us"
    USED_BEFORE = Outcome.FAILURE, "the token of a back-channel logout was used before"
    ALREADY_ENDED = Outcome.FAILURE, "the backend no longer knows the sign-in"
    TOKEN_REFUSED = Outcome.FAILURE, "the refresh token expired, or backend or provider ended the sign-in"
    TOKEN_REUSED = (
        Outcome.FAILURE,
        "a long replaced refresh token was used: an old copy of the cookies, or a stolen one",
    )
    NEW_TOKEN_REFUSED = Outcome.FAILURE, "the backend refused an access token that it had just issued"
    ANSWER_LOST = Outcome.UNAVAILABLE, "the answer to a refresh was lost; the token must not be used again"
    NOT_ALLOWED = Outcome.FAILURE, "the backend says that the user may not do this"
    NOT_ACCEPTED = Outcome.FAILURE, "the backend does not accept the values"
    LINK_REFUSED = Outcome.FAILURE, "the link of a password reset is used or too old"
    TOO_MANY_FAILURES = Outcome.THROTTLED, "too many failed tries from this address, for this account or at all"
    TOO_MANY_SIGN_INS = Outcome.THROTTLED, "too many successful sign-ins to this account"
    TOO_MANY_REQUESTS = Outcome.THROTTLED, "too many password resets from this address"
    BACKEND_UNAVAILABLE = Outcome.UNAVAILABLE, "the backend gave no usable answer"
    PROVIDER_UNAVAILABLE = Outcome.UNAVAILABLE, "the provider gave no usable answer"
    STORE_UNAVAILABLE = (
        Outcome.UNAVAILABLE,
        "the shared store did not answer: other servers may not know of the sign-out yet",
    )

    def __init__(self, outcome: Outcome, meaning: str) -> None:
        self.label = self.name.lower().replace("_", "-")
        self.outcome = outcome
        self.meaning = meaning


class AuditFields(TypedDict, total=False):
    """What an event's own code adds to its line; see :data:`FIELDS`."""

    detail: str
    method: str
    user: str | None
    user_verified: bool
    entered_name: str
    target_user: str
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None
    sign_in: str | None
    other_sign_in: str
    provider_session: str
    by: str


#: Each field of a line, in their order, and what it is. A field that is not known is left out.
FIELDS: Final = {
    "time": "UTC, with milliseconds",
    "logger": "always `portal.audit`",
    "app": "the project's folder",
    "event": "see above",
    "outcome": "`success`, `failure`, `throttled` or `unavailable`",
    "reason": "why it was no success",
    "detail": "more about the reason",
    "method": "of a sign-in: `password` or `openid`",
    "user": "who acts, as in the log: 16 digits of the SHA-256 of the token's subject",
    "user_verified": ("whether a signature, the backend or the store vouches for `user`"),
    "entered_name": "what was typed as the name: 16 digits of an HMAC-SHA-256",
    "target_user": "the account that is changed",
    "before": "the permissions before the change",
    "after": "the permissions that were asked for",
    "sign_in": "names the sign-in: the same in all its lines",
    "other_sign_in": "the backend's id of the sign-in that was ended",
    "provider_session": "at the OpenID provider: 16 digits of the SHA-256 of its `sid`",
    "by": "who ran the command",
    "address": "the browser's (`APP_BEHIND_PROXY`); of a back-channel logout, the provider's",
    "user_agent": "what the browser says, at most 200 characters",
    "request_id": "as in the log and in `X-Request-Id`",
}
