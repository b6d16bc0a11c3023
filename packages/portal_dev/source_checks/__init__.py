"""Mistakes in an app's source, found before it runs: `./manage.py --app energy check` prints them, file and line.

::

    source           all faults of one app: its templates, Python and catalogs, the services of its domain
      python_code    texts that are not marked for translation, tokens, names of templates, URLs and icons, creates
      templates      whether they compile, their names and forms, the rows of declared pages
        markup       the HTML of a template and its texts, with a mark in place of each node of Jinja2
    faults           one fault: file, line, message, hint; the names that a source may use

The mistakes, each with the check that reports it: docs/reference/mistakes.md.
"""

from portal_dev.source_checks.source import check_source
