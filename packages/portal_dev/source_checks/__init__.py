"""What a machine can tell of an app's source before it runs: `./manage.py --app energy check` prints it, file and line.

::

    source              all faults of one app: its templates, forms, Python and catalogs, the services of its domain
      template_names    templates that can't be compiled; functions, URLs, icons and files that are not there; cookies
      template_rows     attributes that a row does not have, and cells of no column, in templates of declared pages
      python_code       the same in Python; permissions; creates that could happen twice; a pause
        cookies         tokens that are read, cookies of the portal that are set
        shared_state    what requests share by accident
        python_texts    untranslated strings in Python
        routes          the app's URLs; addresses that are written out
      texts             texts of templates that are not marked for translation, and texts without one
      origins           addresses of servers
        markup          the HTML of a template, with a mark in place of each Jinja2 tag
        faults          one fault: file, line, what is wrong, what to write

The mistakes, each with who tells it and how: docs/reference/mistakes.md.
"""

from __future__ import annotations

from portal_dev.source_checks.source import check_source
