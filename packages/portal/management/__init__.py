"""Management commands, and the entry that chooses the project whose settings they use.

::

    entry               `manage.py`: reads `--app`, then calls Django
      completion        what a shell completes
        command_names   the commands that need no project, and how `--app` is read
      serving           `serve`: the command in a child process, whose workers this process supervises
    commands/           one module for each command
      platform_names    which names a new platform can't have, and why
        platform_folders  the folders that are one platform's alone, written from `platform_template/`
      platform_places   the files that name every platform
"""
