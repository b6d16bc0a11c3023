"""What `/metrics` tells of requests.

::

    requests    each request, by page, method and status, and how long it took
"""

from __future__ import annotations

from portal.web.metrics.requests import count_request
