"""A schema's calls as modules of declarations, as a person would write them.

::

    views              the pages of a module's resource, as source
      source           a module as source, formatted
      modules          the modules that the calls become: where each stands, and what can't be declared
        hooks          the hooks of one module, and what declares each
          classes      its records and enumerations
            parameters   the keywords of a hook
            names      names of Python for those of the schema; the classes as data; descriptions as docstrings
          resources    which calls belong together, and what each is to its resource
"""

from __future__ import annotations

from portal_dev.openapi.writing.modules import Module, modules_of
from portal_dev.openapi.writing.source import source_of
from portal_dev.openapi.writing.views import view_source
