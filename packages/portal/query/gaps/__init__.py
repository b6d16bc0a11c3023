"""What a backend does not have: optional calls, and parameters of lists.

::

    known_gaps       what was seen not to be there, for ten minutes: in the store, with the process's memory before it
    row_checks       rows against the parameters of their read: which rows contradict one
"""

from __future__ import annotations

from portal.query.gaps.known_gaps import KnownGaps, call_names, param_name
from portal.query.gaps.row_checks import checked_rows, nobodys_value, sure_value
