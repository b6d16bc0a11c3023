"""The form of a line, and the file that takes it."""

import errno
import hashlib
import hmac
import json
import logging
import os
import re
import sys
import time
from datetime import UTC, datetime
from functools import lru_cache, partial
from ipaddress import ip_address
from logging.handlers import WatchedFileHandler
from typing import Any, Final

from portal.config.current import portal_config
from portal.telemetry.metrics import Counters

#: Digits of a hash: enough to tell two accounts apart.
TAG_CHARS: Final = 16
#: Characters of a browser's user agent that a line keeps.
MAX_USER_AGENT_CHARS: Final = 200
_ENTERED_NAME_LABEL: Final = b"portal audit log, version 1: entered name\0"
_EMAIL: Final = re.compile(r"[^\s<>()\[\],;]+@[^\s<>()\[\],;]+")


#: Users whose tags are cached: each page and each log line of a user has the tag.
_CACHED_TAGS: Final = 1024


@lru_cache(maxsize=_CACHED_TAGS)
def tag_of(name: str) -> str:
    """A truncated SHA-256, such as the account tag of a token's subject. Who knows the name can compute it."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:TAG_CHARS]


def entered_name_tag(typed: str) -> str:
    """A truncated HMAC-SHA-256 of what was typed as the name of an account.

    Capitals and spaces around it make no difference. Nobody can try names, or passwords that were typed into the wrong
    field, against it without the key.
    """
    name = typed.strip().casefold().encode("utf-8", "surrogatepass")
    return hmac.new(portal_config().audit_key.encode(), _ENTERED_NAME_LABEL + name, "sha256").hexdigest()[:TAG_CHARS]


def kept_address(address: str) -> str | None:
    """An IP address as it is; None for a text that is none."""
    try:
        return str(ip_address(address))
    except ValueError:
        return None


def kept_user_agent(text: str) -> str | None:
    """The beginning of a user agent's text, with email addresses left out; None for an empty one."""
    return _EMAIL.sub("(address)", text[: 2 * MAX_USER_AGENT_CHARS])[:MAX_USER_AGENT_CHARS] or None


#: The attribute of a log record that holds the fields of the line.
RECORD_ATTRIBUTE: Final = "audit"
#: The owner writes, a group reads: an auditor's, say.
FILE_MODE: Final = 0o640

#: A write of another process is whole after this time, seconds.
WRITE_PAUSE_S: Final = 0.01
#: Not below `portal.audit`, whose handler is the one that fails.
logger = logging.getLogger("portal.audit_file")
_unwritten: Final = Counters(
    "portal_audit_unwritten_total", "Lines of the audit log that its file did not take, so that they went to stderr."
)


class JsonLine(logging.Formatter):
    """One JSON object a line, in ASCII alone: no name, and no browser, can begin a line of its own.

    :param app: the project's folder.
    """

    def __init__(self, *, app: str) -> None:
        super().__init__()
        self._app = app

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        fields: dict[str, Any] = getattr(record, RECORD_ATTRIBUTE, {})
        return json.dumps({"time": time, "logger": record.name, "app": self._app, **fields}, ensure_ascii=True)


def _ends_torn(file: int) -> bool:
    """Whether the last line has no end, and nobody is writing it at this moment."""
    before = -1
    while True:
        size = os.fstat(file).st_size
        if not size or os.pread(file, 1, size - 1) == b"\n":
            return False
        if size == before:
            return True
        before = size
        time.sleep(WRITE_PAUSE_S)


class AuditFile(WatchedFileHandler):
    """Appends each line to a file, in one system call: lines of several processes never mix.

    A file that was moved away (logrotate) is made anew. A line that can't be written, because the disk is full, say,
    goes to stderr in place of the file, and the log says why. Whoever writes the line never notices.

    :param path: of a regular file, on a local disk.
    """

    def __init__(self, *, path: str) -> None:
        super().__init__(path, "ab+", delay=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Append one line."""
        line = self.format(record) + "\n"
        try:
            self._append(line.encode())
        except OSError as error:
            logger.error("the audit log %s: not written: %s", self.baseFilename, error.strerror or error)  # noqa: TRY400  the error's words are all there is to log
            _unwritten.count()
            sys.stderr.write(line)
            sys.stderr.flush()

    def _append(self, line: bytes) -> None:
        self.reopenIfNeeded()
        stream = self.stream = self.stream or self._open()
        file = stream.fileno()
        if _ends_torn(file):
            # The disk was full in the middle of a line. That line is lost here, and this one is not.
            line = b"\n" + line
        written = os.write(file, line)
        if written < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _open(self) -> Any:
        return open(self.baseFilename, self.mode, 0, opener=partial(os.open, mode=FILE_MODE))
