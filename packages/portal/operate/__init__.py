"""Management commands, and the entry that chooses the project whose settings they use.

::

    entry               `manage.py`: reads `--app`, then calls Django
      completion        what a shell completes
        command_names   the commands that need no project, and how `--app` is read
      serving           `serve`: the command in a child process, whose workers this process supervises
    commands/           one module for each command
"""
