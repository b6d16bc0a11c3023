"""What the audit log tells: its events, the reasons of those that failed, and its fields.

The reference page is made of these tables: docs/reference/audit-log.md.
"""

from __future__ import annotations

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
    Outcome.UNAVAILABLE: "it could not be tried, or nobody knows whether it was done: another service did not answer",
}


class AuditEvent(Enum):
    """An event, by its name in the line, and what it means."""

    SIGN_IN = "sign-in", "somebody tried to sign in, with a password or through the OpenID provider"
    SIGN_OUT = "sign-out", "a user signed out, in this browser"
    SIGN_OUT_EVERYWHERE = (
        "sign-out-everywhere",
        (
            "a user ended all own sign-ins; this line is about that of this browser, and each other one has a line "
            "`sign-out-other`"
        ),
    )
    SIGN_OUT_OTHER = "sign-out-other", "a user ended another sign-in of the own account, on another device"
    SIGN_OUT_BY_PROVIDER = (
        "sign-out-by-provider",
        "the OpenID provider reported that a session, or all sessions of a user, ended (back-channel logout)",
    )
    SIGN_OUT_BY_OPERATOR = "sign-out-by-operator", "an operator ended all sign-ins of a user, by a command"
    REFRESH = "refresh", "a sign-in ended, because its tokens could not be refreshed"
    PERMISSIONS = "permissions", "an administrator changed the permissions of an account"
    PASSWORD_RESET_REQUEST = (
        "password-reset-request",
        "somebody asked for a link to choose a new password; the backend sends it if the name has an account",
    )
    PASSWORD_RESET = "password-reset", "somebody chose a new password by such a link; all sign-ins of the account ended"

    def __init__(self, label: str, meaning: str) -> None:
        self.label = label
        self.meaning = meaning


class Reason(Enum):
    """Why an event was no success: its name in the line, the outcome, and what it means."""

    WRONG_CREDENTIALS = "wrong-credentials", Outcome.FAILURE, "there is no such account, or the password is wrong"
    TOKEN_UNUSABLE = (
        "token-unusable",
        Outcome.FAILURE,
        "the tokens that were issued are larger than browsers keep, or can't be read",
    )
    UNEXPECTED_ANSWER = (
        "unexpected-answer",
        Outcome.FAILURE,
        "the backend refused in a way that no other input helps; the log has the call, with the same `request_id`",
    )
    CANCELLED = "cancelled", Outcome.FAILURE, "cancelled at the OpenID provider, or the provider refused the account"
    UNKNOWN_ATTEMPT = (
        "unknown-attempt",
        Outcome.FAILURE,
        "nobody began this sign-in at the OpenID provider in this browser, or too long ago",
    )
    CODE_REFUSED = "code-refused", Outcome.FAILURE, "the OpenID provider refused the code: used before, or too old"
    PROVIDER_ERROR = "provider-error", Outcome.FAILURE, "the OpenID provider reported an error"
    ID_TOKEN_REFUSED = (
        "id-token-refused",
        Outcome.FAILURE,
        "the ID token is forged, too old, or meant for somebody else",
    )
    LOGOUT_TOKEN_REFUSED = (
        "logout-token-refused",
        Outcome.FAILURE,
        "the token of a back-channel logout is forged, too old, or meant for somebody else",
    )
    USED_BEFORE = "used-before", Outcome.FAILURE, "this token of a back-channel logout was used before"
    ALREADY_ENDED = "already-ended", Outcome.FAILURE, "the backend knows no such sign-in: it had ended before"
    TOKEN_REFUSED = (
        "token-refused",
        Outcome.FAILURE,
        "the refresh token was refused: it expired, or its sign-in was ended at the backend or the provider",
    )
    TOKEN_REUSED = (
        "token-reused",
        Outcome.FAILURE,
        "a refresh token that was replaced long ago was used again: an old copy of the cookies, or a stolen one",
    )
    NEW_TOKEN_REFUSED = (
        "new-token-refused",
        Outcome.FAILURE,
        "the backend refused an access token that it had just issued",
    )
    ANSWER_LOST = (
        "answer-lost",
        Outcome.UNAVAILABLE,
        "the answer to a refresh was lost, and the token must not be used again",
    )
    NOT_ALLOWED = "not-allowed", Outcome.FAILURE, "the backend says that this user may not"
    NOT_ACCEPTED = "not-accepted", Outcome.FAILURE, "the backend does not accept the values"
    LINK_REFUSED = "link-refused", Outcome.FAILURE, "the link of a password reset was used before, or is too old"
    TOO_MANY_FAILURES = (
        "too-many-failures",
        Outcome.THROTTLED,
        "too many failed tries for this account from this address, or from this address alone",
    )
    TOO_MANY_SIGN_INS = "too-many-sign-ins", Outcome.THROTTLED, "too many successful sign-ins to this account"
    TOO_MANY_REQUESTS = "too-many-requests", Outcome.THROTTLED, "too many password resets from this address"
    BACKEND_UNAVAILABLE = "backend-unavailable", Outcome.UNAVAILABLE, "the backend gave no usable answer"
    PROVIDER_UNAVAILABLE = "provider-unavailable", Outcome.UNAVAILABLE, "the OpenID provider gave no usable answer"
    STORE_UNAVAILABLE = (
        "store-unavailable",
        Outcome.UNAVAILABLE,
        "the shared store did not answer: other servers may not know of the sign-out yet, the backend may",
    )

    def __init__(self, label: str, outcome: Outcome, meaning: str) -> None:
        self.label = label
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
    "time": "the time of the event, UTC, with milliseconds",
    "logger": "always `portal.audit`: no other line of the log has it",
    "app": "the project's folder",
    "event": "one of the events below",
    "outcome": "`success`, `failure`, `throttled` or `unavailable`",
    "reason": "why it was no success: one of the reasons below",
    "detail": "more about the reason, in words of the portal",
    "method": "of a sign-in: `password` or `openid`",
    "user": "the account of who acts: the first 16 digits of the SHA-256 of the access token's subject, as in the log",
    "user_verified": (
        "whether `user` is certain: a signature was checked, or the backend or the store knows the sign-in. "
        "If false, the browser only claims to be this user"
    ),
    "entered_name": "what was typed as the account's name: 16 digits of an HMAC-SHA-256, the same for the same name",
    "target_user": "the account that is acted on, in the form of `user`",
    "before": "the permissions until now; left out if they could not be read",
    "after": "the permissions from now on; of a change that failed, those that were wanted",
    "sign_in": "one sign-in: the same 16 digits from its begin to its end, through all refreshes",
    "other_sign_in": "the sign-in that was ended, by the backend's id",
    "provider_session": "the session at the OpenID provider: the first 16 digits of the SHA-256 of its `sid`",
    "by": "who ran the command, as the command names them",
    "address": "the browser's address, by the rule of `APP_BEHIND_PROXY`; of a back-channel logout, the provider's",
    "user_agent": "the browser's own words for itself, at most 200 characters; anybody can send any words",
    "request_id": "the id of the request, as in the log and in the response's `X-Request-Id`",
}
