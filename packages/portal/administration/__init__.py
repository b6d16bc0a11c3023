"""Commands for who runs the portal: what is wrong, what is configured, what lies in the cache, who is signed in.

::

    management/commands/   one module for each command
      doctor/              what `doctor` looks at, one module for each subject
      probe                one HTTP request, each of its steps by itself
      token_report         what an access token says, and whether the edge takes it
      variable_values      the environment's variables with their values and where these come from
      answers              AdministrationCommand: --json, --help with examples and exit statuses, errors in one line

A Django app of its own: a folder holds twelve modules, and `portal.management` has its twelve commands.
"""
