"""`./manage.py --app auth_app sign_out_user ID`: an operator ends all sign-ins of a user."""

import getpass
import os
from typing import Any, Final

from portal.api import api_session, identity_provider
from portal.config.current import portal_config
from portal.errors import StoreUnavailableError
from portal.query import process_runtime
from portal.telemetry import audit
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked
from portal_operate.probe import probe_url

#: The header `Date` has whole seconds.
_DATE_STEP_S: Final = 1.0
#: A difference of two clocks that is worth a line, seconds.
_CLOCKS_DIFFER_S: Final = 2.0


class Command(AdministrationCommand):
    """What the portal can do with its stores; the backend ends the rest as the sign-ins show up."""

    help = (
        "End all sign-ins that a user has now, in all projects and processes. What is cached for the user is dropped "
        "at once. Each sign-in is refused with its next request, and the portal then revokes its refresh token at the "
        "backend. A sign-in that does not show up any more is not revoked there: for that, use the backend's own "
        "administration. The user may sign in again. Running it twice does no harm."
    )
    examples = (
        "--app auth_app sign_out_user usr_1",
        "--app auth_app sign_out_user usr_1 --subject 0a1b2c --by 'ticket 4711' --json",
    )
    statuses = {FINE: "the sign-ins have ended, also where there were none"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("id", help="the account's id, as GET /me names it")
        parser.add_argument("--subject", help="the claim `sub` of the user's tokens, if it is not the id")
        parser.add_argument("--by", help="who asks, for the audit log (default: this user of the machine)")

    def answer(self, **options: Any) -> CommandAnswer:
        user, subject = options["id"], options["subject"] or options["id"]
        who: audit.AuditFields = {"target_user": audit.tag_of(subject), "by": options["by"] or _operator()}
        try:
            # The end first: after the purge each token is held against it.
            api_session().refresher.end_user(subject)
            if (provider := identity_provider()) is not None:
                # Its access tokens may be opaque: they tell neither whose they are nor since when.
                provider.end_user(subject)
            self.progress("the clock of who issues tokens …")
            ahead = _issuers_clock_ahead_s()
            if ahead is not None and ahead > 0:
                api_session().refresher.end_user(subject, issuer_ahead_s=ahead + _DATE_STEP_S)
            process_runtime().caches.purge_user(subject)
        except StoreUnavailableError as error:
            audit.write(audit.AuditEvent.SIGN_OUT_BY_OPERATOR, audit.Reason.STORE_UNAVAILABLE, **who)
            raise not_asked(f"not done to the end, so run it again: {error}") from error
        audit.write(audit.AuditEvent.SIGN_OUT_BY_OPERATOR, **who)
        return CommandAnswer(
            data={"user": user, "subject": subject, "issuer_clock_ahead_s": None if ahead is None else round(ahead, 1)},
            lines=[
                f"all sign-ins of {user} have ended",
                "their refresh tokens are revoked at the backend when they are next used; the user may sign in again",
                *_told_of_clocks(ahead),
            ],
        )


def _issuers_clock_ahead_s() -> float | None:
    """How far the clock of the backend, or of the OpenID provider, is ahead of this one. None: it does not tell."""
    config = portal_config()
    at_provider = f"{config.oidc.issuer}/.well-known/openid-configuration"
    url = at_provider if config.oidc.enabled else f"{config.api_base_url}/me"
    return probe_url(url, config=config).clock_ahead_s


def _told_of_clocks(ahead: float | None) -> list[str]:
    if ahead is None:
        return [
            "who issues tokens did not tell the time",
            "if its clock is ahead, sign-ins whose token is younger than the difference go on: run it again later",
        ]
    if abs(ahead) <= _CLOCKS_DIFFER_S:
        return []
    if ahead > 0:
        return [f"the clock of who issues tokens is {ahead:.0f} s ahead of this machine's, and that was added"]
    return [f"the clock of who issues tokens is {-ahead:.0f} s behind: for so long, a new sign-in of the user ends too"]


def _operator() -> str:
    """The user of the machine; in a container, whose users often have no name, the number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
