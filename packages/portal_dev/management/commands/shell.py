"""`./manage.py --app energy shell --account all@example.com`: Python with the app's hooks, and a `client` for them."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands.shell import Command as DjangoShell

from portal.api import TokenPair, TokenStore, api_session
from portal.config import contract_names as names
from portal.config.current import portal_config
from portal.config.projects import PROJECT_BY_APP
from portal.query import MutationGroup, QueryClient, QueryGroup, create_query_client
from portal.services.auth import AuthMutations
from portal.services.service_imports import import_services, service_name
from portal_dev.local_servers.local_stack import DEMO_PASSWORD


class Command(DjangoShell):
    """Django's, with the groups of the app's domain, and of what belongs to no platform. It is there in DEBUG alone."""

    help = "Run Python with this project's hooks; --account gives a client for them that is signed in."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        signs_in = "sign in with this demonstration account of the sandbox: `client` is its query client"
        parser.add_argument("--account", metavar="EMAIL", help=signs_in)

    def get_auto_imports(self) -> list[str]:
        """The dotted names of the groups."""
        import_services()
        groups = (*QueryGroup.__subclasses__(), *MutationGroup.__subclasses__())
        others = PROJECT_BY_APP.keys() - {portal_config().project.app}
        return [
            f"{group.__module__}.{group.__name__}"
            for group in sorted(groups, key=lambda group: group.__name__)
            if (name := service_name(group.__module__)) and name.partition(".")[0] not in others
        ]

    def get_namespace(self, **options: Any) -> dict[str, Any]:
        """What is imported, and the client."""
        client = {"client": signed_in_client(options["account"])} if options.get("account") else {}
        return super().get_namespace(**options) | client


def signed_in_client(email: str) -> QueryClient:
    """The client of a demonstration account, whose password is that of all.

    :raises CommandError: the backend does not sign it in.
    """
    nobody = create_query_client(tokens=TokenStore(), api=api_session())
    result = AuthMutations.use_login_mutation(nobody).mutate(
        body={names.LOGIN_EMAIL_FIELD: email, names.LOGIN_PASSWORD_FIELD: DEMO_PASSWORD}
    )
    if result.error is not None:
        address = portal_config().api_base_url
        raise CommandError(f"{email} is not signed in at {address}: {result.error}. Does the sandbox run (`make run`)?")
    tokens: Any = result.data
    pair = TokenPair(access=tokens[names.ACCESS_TOKEN_FIELD], refresh=tokens[names.REFRESH_TOKEN_FIELD])
    return create_query_client(tokens=TokenStore(pair), api=api_session())
