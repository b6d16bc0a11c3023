"""For who runs the portal: the management commands, the program that starts them, and the system checks.

::

    management/commands/   one module for each command
    program/               `manage.py`: reads `--app`, then calls Django
    doctor/                what `doctor` looks at, one module for each subject
      answers              AdministrationCommand: --json, --help, exit statuses, errors in one line; the token of one
      probe                one HTTP request, each of its steps by itself
      serve_options        the options of `serve`, which a server's parent reads without Django
      suggestions          which known name somebody may have meant
      catalogs             compiles translations: at each start, and for the wheel
    apps                   the Django app: registers the checks, and lets requests go without what they have no use for
      checks               what holds in every project; before a request is served
      deployment_checks    what holds on a server: `check --deploy`
"""
