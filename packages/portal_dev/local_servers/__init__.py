"""The servers of a developer's machine: `./manage.py run`.

::

    local_stack    the sandbox backend and all projects, with their ports and variables
    reloader       restarts those of them whose code has changed; needs watchfiles
    server_group   several servers, started and stopped together
"""
