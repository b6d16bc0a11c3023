"""The program behind `manage.py`, and `portal` of an installed wheel: it chooses whose settings a command uses.

::

    entry               reads `--app`, then calls Django; supervises the workers of `serve`
        command_names   the commands that need no project, and how `--app` is read
"""
