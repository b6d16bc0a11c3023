"""The calls of one request.

::

    backend_calls    reads and writes, each with further tries
      retries        how often, and how long to wait
"""

from __future__ import annotations

from portal.query.calls.backend_calls import BackendCaller, derived_key, may_have_arrived
from portal.query.calls.retries import Retries
