"""Jinja2 for the pages: one environment for each language, and the names that every template has.

::

    backend            Django's template backend: chooses the language's environment, renders `"list.html#table"`
      environment      Jinja2's environment: the names, the filters `mailto`, `tel`, `geo`
        names          `_`, `icon`, `static`, `url`, `nav_link`; the filters `badge`, `link`
          filters      values in the page's language: `day`, `money`, `amount`
      kept_parts       what was rendered, kept in the process
    form_renderer      Django's forms: the plain `<input>` without a template

A template imports none of these names. They are described in docs/reference/templates.md.
"""

from portal.web.templating.backend import (
    compile_templates,
    own_or_default,
    render_block,
    render_field,
    render_part,
    separate_environment,
)
from portal.web.templating.environment import PageEnvironment
from portal.web.templating.kept_parts import part_cache
