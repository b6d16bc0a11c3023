"""A form that was sent: the key under which it is done once, and what the next page says of it.

::

    submission_keys  the form's key, with which a write that is sent again is the same write
    redirects        see_other: the redirect to the page after the form
    toasts           undo_toast, created_toast: a message on the next page, which may offer to undo what was done
"""

from __future__ import annotations

from portal.web.submissions.redirects import see_other
from portal.web.submissions.submission_keys import (
    SUBMISSION_FIELD,
    UNKNOWN_FIELD,
    new_submission_key,
    submission_key,
    used_submission_key,
)
from portal.web.submissions.toasts import ShownToasts, created_toast, undo_toast
