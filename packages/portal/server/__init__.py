"""The production server of one project, and the local run of all of them.

::

    workers             granian: serves a WSGI application, replaces its workers
      content_types     drops parameters of `Content-Type` that Django can't read
      lost_cookies      logs a `Cookie` header that granian has emptied
    server_group        several servers, started and stopped together
      local_stack       the five servers of a developer's machine
    static_files        a private folder of static files for one server
    ports               whether a port is free

Each is imported by its own path: `workers` needs granian, the others need the standard library only.
"""
