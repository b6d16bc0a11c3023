"""`./manage.py --app energy doctor`: what is wrong with this project's surroundings, and what to do about it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.checks import ERROR, INFO, WARNING, CheckMessage

from portal.config.current import portal_config
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, read_token
from portal_operate.doctor import SUBJECTS, SYSTEM_CHECKS, WORDS, examine


class Command(AdministrationCommand):
    """Also runs where the configuration can't be read: that is a finding then."""

    help = (
        "Look at all that this project stands on: environment, addresses, state folder, disk, stores, backend, keys, "
        "OpenID provider, clocks, system checks. Each finding says what was seen and what to do. Writes a few keys of "
        "its own to the stores, and asks the backend once without a token. With the access token of a user it also "
        "makes each call that reads, says what the backend does not have and what pages then do without, and holds the "
        "token against the configured key."
    )
    examples = (
        "--app energy doctor",
        "--app energy doctor --json",
        "--app energy doctor --quiet --token-file token.txt",
    )
    bearer_file = "try the backend's calls, and our key, with the access token in this file; - is standard input"
    statuses = {FINE: "no error; there may be warnings", BAD: "at least one error"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--quiet", action="store_true", help="leave out what is well")

    def answer(self, **options: Any) -> CommandAnswer:
        project = portal_config().project.app
        access = read_token(options["token_file"]) if options["token_file"] else None
        messages = list(examine(project, (*SUBJECTS, SYSTEM_CHECKS), progress=self.progress, access=access))
        counts = Counter(message.level for message in messages)
        if options["quiet"]:
            messages = [message for message in messages if message.level > INFO]
        return CommandAnswer(
            data={
                "project": project,
                "result": WORDS[max(counts)],
                "findings": [
                    {"level": WORDS[each.level], "subject": each.obj, "seen": each.msg, "do": each.hint}
                    for each in messages
                ],
            },
            lines=self._lines(messages, counts),
            status=BAD if counts[ERROR] else FINE,
        )

    def _lines(self, messages: list[CheckMessage], counts: Counter[int]) -> Iterator[str]:
        styles = {INFO: self.style.SUCCESS, WARNING: self.style.WARNING, ERROR: self.style.ERROR}
        width = max((len(message.obj) for message in messages), default=0)
        for message in messages:
            yield f"{styles[message.level](f'{WORDS[message.level]:<8}')} {message.obj:<{width}}  {message.msg}"
            if message.hint:
                yield f"{'':<8} {'':<{width}}  do: {message.hint}"
        yield f"{counts[ERROR]} errors, {counts[WARNING]} warnings, {counts[INFO]} ok"
