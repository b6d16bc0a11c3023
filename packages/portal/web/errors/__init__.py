"""The responses to what went wrong: a page for people, a problem document for programs, a line for the log.

::

    failure_pages    the page of each failure, the problem document (RFC 9457), and Django's own handlers; after a write
                     whose answer was lost: where to look, and what to send again
      failures       what is said of each failure: its status, texts and ways on, one table
      failure_log    one log line for each page of a status from 500 on
    redirects        the response at the end of a sign-in; where htmx goes instead of an error

Settings and `urls.py` name the handlers by their module.
"""

from portal.web.errors.failure_log import explain_failure
from portal.web.errors.failure_pages import (
    another_account,
    failure_response,
    may_be_done_twice,
    method_refused,
    page_not_found,
    problem,
    render_failure,
)
from portal.web.errors.failures import RETRY_AFTER_S, Failure, retry_after_s
from portal.web.errors.redirects import (
    REASON_PARAM,
    REFRESH_LOST,
    SIGN_IN_ENDED,
    SignInEndedResponse,
    login_url,
    redirect_htmx,
    sign_in_ended,
    way_back_of,
)
