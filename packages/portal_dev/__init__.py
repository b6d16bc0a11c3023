"""Tools for developers, beside the applications. Servers never import this package.

A Django app, among the `INSTALLED_APPS` in DEBUG alone: Django finds its commands, and the templates and styles of the
toolbar's panels.

::

    management       the commands: run, runserver, check, startplatform, update_catalogs, check_services ...
      platforms      writes a new platform, and takes one away
      reference      the reference pages that are written from the code
      docs_site      hook of MkDocs
      openapi        declarations of a backend's calls from its schema, and whether both agree
      source_checks  mistakes in an app's source, found before it runs
      local_servers  the servers of a developer's machine, started, restarted and stopped together
      toolbar        panels of django-debug-toolbar: what a request did
        catalogs     the translations: finds texts, writes `.po`
        edge_explanation  how the edge came to a decision: `explain_route`
        breakpoints  what `breakpoint()` says in a server without a terminal
"""
