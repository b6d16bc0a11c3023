"""`./manage.py --app auth_app seed_sandbox`: the tables and the data of the sandbox backend, in one step."""

import subprocess
import sys
from typing import Any

from portal.config.places import SOURCE_ROOT
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked

_SANDBOX = "sandbox_api"


class Command(AdministrationCommand):
    """Runs the sandbox's own commands as processes: the portal imports nothing of it."""

    help = (
        "Make the tables of the sandbox backend, and fill them with data that looks real; a second run adds nothing. "
        "Outside of DEBUG the demonstration accounts are made only with SANDBOX_ALLOW_DEMO_ACCOUNTS=on."
    )
    examples = (
        "--app auth_app seed_sandbox",
        "--app auth_app seed_sandbox --reset --json",
    )
    statuses = {FINE: "there is data", BAD: "the sandbox refused; its words are on stderr"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--reset", action="store_true", help="delete all data of the sandbox first")

    def answer(self, **options: Any) -> CommandAnswer:
        said: list[str] = []
        for words in (["migrate", "--verbosity", "0"], ["seed", *(["--reset"] if options["reset"] else [])]):
            self.progress(f"{words[0]} …")
            try:
                done = subprocess.run(
                    [sys.executable, "-m", _SANDBOX, *words],
                    cwd=SOURCE_ROOT,
                    stdout=subprocess.PIPE,
                    text=True,
                    check=False,
                )
            except OSError as error:
                raise not_asked(f"the sandbox can't be started: {error.strerror}") from error
            said += done.stdout.splitlines()
            if done.returncode:
                return CommandAnswer(data={"step": words[0], "done": False, "said": said}, lines=said, status=BAD)
        return CommandAnswer(data={"step": "seed", "done": True, "said": said}, lines=said)
