"""The program behind `manage.py`, and `portal` of an installed wheel: it chooses whose settings a command uses.

::

    entry               reads `--app`, then calls Django
      completion        what a shell completes
      serving           `serve`: the command in a child process, whose workers this process supervises
        command_names   the commands that need no project, and how `--app` is read
"""
