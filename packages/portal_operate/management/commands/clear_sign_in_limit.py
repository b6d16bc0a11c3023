"""`./manage.py --app auth_app clear_sign_in_limit`: let somebody try again who has failed to sign in too often."""

from typing import Any

from portal.web.sign_in import sign_in_limit
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked


class Command(AdministrationCommand):
    """The counters end by themselves after a quarter of an hour."""

    help = (
        "Forget failed sign-ins of an account or address. Who was told to wait may try again at once. Other limits go "
        "on."
    )
    examples = (
        "--app auth_app clear_sign_in_limit --account ada@example.com",
        "--app auth_app clear_sign_in_limit --address 198.51.100.7 --json",
    )
    statuses = {FINE: "forgotten, also where there was nothing"}
    without_store = "not done to the end, so run it again: "

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--account", metavar="EMAIL", help="as the user types it, from whatever address")
        parser.add_argument("--address", help="all tries from this IP address; an IPv6 one stands for its /64")

    def answer(self, **options: Any) -> CommandAnswer:
        account, address = options["account"], options["address"]
        if account is None and address is None:
            raise not_asked("say whose: --account EMAIL, --address ADDRESS, or both")
        sign_in_limit().clear(account=account, address=address)
        return CommandAnswer(data={"cleared": True}, lines=["the failed sign-ins are forgotten"])
