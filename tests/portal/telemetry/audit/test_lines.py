"""The file of the audit log: several processes append to it, it is moved away, the disk is full."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from portal.telemetry.audit.lines import AuditFile, JsonLine
from tests.support.counts import counted
from tests.support.forks import at_once
from tests.support.harness import ROOT, run_program

PROCESSES, LINES = 4, 500
#: As a server writes: through a logger, from several threads.
LOGGER = """
import logging, resource, signal, sys
from concurrent.futures import ThreadPoolExecutor
from portal.telemetry.audit.lines import AuditFile, JsonLine
handler = AuditFile(path=sys.argv[1])
handler.setFormatter(JsonLine(app="energy"))
logger = logging.getLogger("portal.audit")
logger.addHandler(handler)
logger.setLevel("INFO")
"""
WRITER = f"""{LOGGER}
process, lines = sys.argv[2], int(sys.argv[3])
with ThreadPoolExecutor(4) as threads:
    list(threads.map(lambda n: logger.info("x", extra={{"audit": {{"n": f"{{process}}-{{n}}", "pad": "y" * (n % 997)}}}}), range(lines)))
"""
#: A process whose files may have this size at most: the kernel writes what fits, and refuses the rest.
FULL_DISK = f"""{LOGGER}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(name)s %(message)s")
logger.propagate = False
def write(word):
    logger.info("x", extra={{"audit": {{"word": word}}}})
write("before")
resource.setrlimit(resource.RLIMIT_FSIZE, (150, hard))
write("cut off")
write("refused")
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
write("after")
"""


def audit_logger(path: Path, name: str) -> logging.Logger:
    handler = AuditFile(path=str(path))
    handler.setFormatter(JsonLine(app="energy"))
    logger = logging.getLogger(f"tests.{name}")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel("INFO")
    return logger


def write(logger: logging.Logger, **fields: object) -> None:
    logger.info("x", extra={"audit": fields})


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run_program(sys.executable, "-c", code, *arguments, cwd=ROOT / "packages", timeout=120)


def test_processes_that_write_one_file_lose_no_line_and_mix_none(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    ended = at_once(PROCESSES, lambda number: run(WRITER, path, number, LINES))
    assert {(each.stdout, each.stderr) for each in ended} == {("", "")}
    found = [json.loads(line)["n"] for line in path.read_text().splitlines()]
    assert sorted(found) == sorted(f"{process}-{n}" for process in range(PROCESSES) for n in range(LINES))


def test_a_file_that_is_moved_away_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    logger = audit_logger(path, "moved")
    write(logger, word="old")
    path.rename(tmp_path / "audit.jsonl.1")
    write(logger, word="new")
    assert [json.loads(line)["word"] for line in path.read_text().splitlines()] == ["new"]
    assert '"old"' in (tmp_path / "audit.jsonl.1").read_text()
    logger.handlers[0].close()
    write(logger, word="after it was closed, as at the start of a worker")
    assert len(path.read_text().splitlines()) == 2
    assert path.stat().st_mode & 0o777 & ~0o640 == 0, "its owner writes it, a group reads it"


def test_a_full_disk_is_heard_and_no_line_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    done = run(FULL_DISK, path)
    assert [json.loads(line)["word"] for line in done.stderr.splitlines()] == ["cut off", "refused"]
    assert done.stdout.splitlines() == [
        f"ERROR portal.audit_file the audit log {path}: not written: {why}"
        for why in ("No space left on device", "File too large")
    ]
    before, torn, after = path.read_text().splitlines()
    assert [json.loads(line)["word"] for line in (before, after)] == ["before", "after"]
    assert not torn.endswith("}")


def test_a_line_that_the_file_does_not_take_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logger, before = audit_logger(tmp_path / "is a folder", "counted"), counted("portal_audit_unwritten_total")
    (tmp_path / "is a folder").mkdir()
    write(logger, word="not lost")
    assert counted("portal_audit_unwritten_total") == before + 1
    # Before it stands what the log says of it, where another test has set up a log on stderr.
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["word"] == "not lost"


def test_no_text_begins_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    text = '\n{"event": "forged"}\r\x1b[2J\x85\u2028\u2029\x00ü'
    write(audit_logger(path, "forged"), user_agent=text)
    content = path.read_bytes()
    assert content.isascii()
    assert content.count(b"\n") == 1
    assert all(octet >= 0x20 for octet in content[:-1])
    assert json.loads(content)["user_agent"] == text
