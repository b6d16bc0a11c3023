"""`./manage.py --app energy doctor`: what is wrong with this project's surroundings, and what to do about it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from portal.config.current import portal_config
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, read_token
from portal_operate.doctor import Finding, Level, examine

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        findings = list(examine(project, progress=self.progress, access=access))
        shown = [finding for finding in findings if not options["quiet"] or finding.level is not Level.OK]
        counts = Counter(finding.level for finding in findings)
        worst = next(level for level in (Level.ERROR, Level.WARNING, Level.OK) if counts[level])
        return CommandAnswer(
            data={
                "project": project,
                "result": worst.value,
                "findings": [finding.as_data() for finding in shown],
            },
            lines=self._lines(shown, counts),
            status=BAD if worst is Level.ERROR else FINE,
        )

    def _lines(self, findings: list[Finding], counts: Counter[Level]) -> Iterator[str]:
        styles = {Level.OK: self.style.SUCCESS, Level.WARNING: self.style.WARNING, Level.ERROR: self.style.ERROR}
        width = max((len(finding.subject) for finding in findings), default=0)
        for finding in findings:
            level = styles[finding.level](f"{finding.level.value:<8}")
            yield f"{level} {finding.subject:<{width}}  {finding.seen}"
            if finding.remedy:
                yield f"{'':<8} {'':<{width}}  do: {finding.remedy}"
        yield f"{counts[Level.ERROR]} errors, {counts[Level.WARNING]} warnings, {counts[Level.OK]} ok"
