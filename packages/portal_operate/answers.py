"""What all commands for operators share: one answer, as text or as JSON, and an exit status that means something."""

import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter

from portal.errors import StoreUnavailableError

#: All is well.
FINE: Final = 0
#: The thing that was asked about is bad.
BAD: Final = 1
#: It could not be asked, or the command line is wrong. argparse ends with the same status.
NOT_ASKED: Final = 2


def not_asked(text: str) -> CommandError:
    """The error of a question that could not be asked; its one line says why."""
    return CommandError(text, returncode=NOT_ASKED)


def read_token(path: Path | None) -> str:
    """The token in a file; on standard input for None and `-`: never a word of the command line, which others see.

    :raises CommandError: it can't be read; one line, and the status of a question that was not asked.
    """
    try:
        text = sys.stdin.read() if path is None or str(path) == "-" else path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise not_asked(f"the token can't be read: {getattr(error, 'strerror', None) or 'no text'}") from error
    return text.strip().removeprefix("Bearer ").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """What a command found.

    :param data: an object or an array for `--json`, without a secret.
    :param lines: the same for people.
    :param status: the exit status.
    """

    data: Mapping[str, Any] | Sequence[Any]
    lines: Iterable[str]
    status: int = FINE


class HelpFormatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, and examples with their line breaks."""


class AdministrationCommand(BaseCommand):
    """A command with an :class:`CommandAnswer`.

    :cvar examples: command lines without the program, one for each.
    :cvar statuses: the exit statuses and what they mean, beside 2.
    :cvar bearer_file: what a command does with the token that `--token-file` names, if it takes one.
    :cvar without_store: what is said before the fault of a store that does not answer.
    """

    requires_system_checks = ()
    examples: ClassVar[tuple[str, ...]] = ()
    statuses: ClassVar[Mapping[int, str]] = {FINE: "done"}
    without_store: ClassVar[str] = ""
    bearer_file: ClassVar[str] = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Django's parser, with `--json`, the examples and the exit statuses."""
        parser = super().create_parser(
            prog_name, subcommand, **{"formatter_class": HelpFormatter, "epilog": self._epilog(), **kwargs}
        )
        if self.bearer_file:
            parser.add_argument("--token-file", type=Path, metavar="FILE", help=self.bearer_file)
        parser.add_argument("--json", action="store_true", help="print the answer as JSON, and nothing else")
        return parser

    def answer(self, **options: Any) -> CommandAnswer:
        """Find the answer."""
        raise NotImplementedError

    def handle(self, *_args: object, **options: Any) -> None:
        """Print the answer, and end with its status."""
        try:
            answer = self.answer(**options)
        except StoreUnavailableError as error:
            raise not_asked(f"{self.without_store}{error}") from error
        if options["json"]:
            self.stdout.write(_json(answer.data))
        else:
            for line in answer.lines:
                self.stdout.write(_printable(line))
        if answer.status:
            sys.exit(answer.status)

    def progress(self, text: str) -> None:
        """Say on stderr what the command does now."""
        self.stderr.write(text, style_func=str)

    def _epilog(self) -> str:
        meanings = {**self.statuses, NOT_ASKED: "it could not be asked, or the command line is wrong"}
        lines = ["examples:", *(f"  {example}" for example in self.examples)] if self.examples else []
        return "\n".join([*lines, "exit status:", *(f"  {status}  {text}" for status, text in meanings.items())])


def _json(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return JSON that every reader takes: `NaN`, which a token may hold and Python reads as a number, is a text."""
    return _printable(json.dumps(json.loads(json.dumps(data), parse_constant=str), indent=2, ensure_ascii=False))


def _printable(text: str) -> str:
    """With half a character of UTF-16, which no output takes, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def table(rows: Sequence[Sequence[object]]) -> list[str]:
    """Rows as lines whose columns begin at the same place."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in texts]
