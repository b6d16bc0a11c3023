"""Create an account, an administrator's say."""

import getpass
import re
import sys
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from sandbox_api.auth.models import Account
from sandbox_api.iam.serializers import PERMISSION_PATTERN


class Command(BaseCommand):
    """The password is asked for, or read from the first line of what is piped in; never an argument."""

    help = "Create an account; the password is asked for, or read from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--name", help="by default the address before the @")
        parser.add_argument(
            "--permissions", nargs="*", default=[], metavar="PERMISSION", help="such as IAM_ADMIN ENERGY_APP"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        email: str = options["email"].strip().lower()
        permissions: list[str] = list(dict.fromkeys(options["permissions"]))
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"--email should be an address, not {email!r}") from error
        for permission in permissions:
            if not re.match(PERMISSION_PATTERN, permission):
                raise CommandError(f"--permissions should be capitals and underscores, not {permission!r}")
        if Account.objects.filter(email=email).exists():
            raise CommandError(f"there is an account {email} already")
        password = getpass.getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        if not password:
            raise CommandError("the password is empty")
        account = Account.objects.create(
            email=email,
            name=options["name"] or email.partition("@")[0],
            password=make_password(password),
            permissions=permissions,
        )
        self.stdout.write(f"{account.id} {account.email} {' '.join(account.permissions)}".rstrip())
