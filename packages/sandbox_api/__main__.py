"""`./manage.py --app sandbox_api <command>`: migrate, seed, serve, create_account, and Django's own."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run one command; what is wrong with the environment is one line."""
    # Assigned, not a default: another project's variable would make this one start as something else.
    os.environ["DJANGO_SETTINGS_MODULE"] = "sandbox_api.settings"
    try:
        execute_from_command_line(["sandbox_api", *sys.argv[1:]])
    except ImproperlyConfigured as error:
        sys.exit(f"sandbox_api: {error}")


if __name__ == "__main__":
    main()
