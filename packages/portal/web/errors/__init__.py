"""The responses to what went wrong: a page for people, a problem document for programs, a line for the log.

::

    failure_pages    the page of each failure, and Django's own handlers
      failures       what is said of each failure: its status, texts and ways on, one table
      unknown_outcome  a write whose answer was lost: where to look, and what to send again
      problems       the problem document (RFC 9457)
      failure_log    one log line for each page of a status from 500 on
    redirects        the response at the end of a sign-in; where htmx goes instead of an error

Settings and `urls.py` name the handlers by their module.
"""

from __future__ import annotations

from portal.web.errors.failure_log import explain_failure
from portal.web.errors.failure_pages import (
    another_account,
    failure_response,
    method_refused,
    offer_list,
    page_not_found,
    render_failure,
)
from portal.web.errors.failures import RETRY_AFTER_S, Failure, retry_after_s
from portal.web.errors.problems import problem
from portal.web.errors.redirects import (
    REASON_PARAM,
    REFRESH_LOST,
    SIGN_IN_ENDED,
    SignInEndedResponse,
    redirect_htmx_home,
    redirect_htmx_to_login,
    sign_in_ended,
    way_back_of,
)
from portal.web.errors.unknown_outcome import may_be_done_twice
