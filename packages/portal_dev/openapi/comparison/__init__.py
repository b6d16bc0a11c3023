"""Declared calls, held against a schema.

::

    calls               paths, parameters, lists, answers and bodies of each hook
      types             whether a declared type fits a shape; the fields of declared types, and where they stand
"""

from __future__ import annotations

from portal_dev.openapi.comparison.calls import Difference, compared
