"""What `/metrics` tells of a server: the counts of all its workers, whichever of them is asked.

::

    worker_counts    each worker writes its counts into a file, and adds up those of the others
      families       the counts of this process, each with its labels
"""

from __future__ import annotations

from portal.web.metrics.families import Family
from portal.web.metrics.worker_counts import publish_counts, server_families
