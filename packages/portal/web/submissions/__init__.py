"""A form that was sent: the key under which it is done once, and what the next page says of it.

::

    submission_keys  the form's key, with which a write that is sent again is the same write
    toasts           see_other: the redirect to the next page; undo_toast, created_toast: a message there, which may
                     offer to undo what was done
"""

from __future__ import annotations

from portal.web.submissions.submission_keys import (
    SUBMISSION_FIELD,
    UNKNOWN_FIELD,
    new_submission_key,
    submission_key,
    used_submission_key,
)
from portal.web.submissions.toasts import ShownToasts, created_toast, see_other, undo_toast
