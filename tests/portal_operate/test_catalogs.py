"""Catalogs are compiled by whoever starts, whenever they are newer than what was compiled of them."""

import gettext
import os
from pathlib import Path

import pytest

from portal.errors import ConfigurationError
from portal_operate.catalogs import compile_catalog, compile_stale
from tests.support.checkout_copy import fresh_clone, in_copy, run

HEADER = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'


def po(folder: Path, body: str, *, language: str = "de") -> Path:
    path = folder / "locale" / language / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + body)
    return path


def translated(folder: Path, text: str) -> str:
    with (folder / "locale" / "de" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file).gettext(text)


def age(path: Path, *, seconds: int) -> None:
    changed = path.stat().st_mtime_ns + seconds * 10**9
    os.utime(path, ns=(changed, changed))


def test_a_catalog_is_compiled_where_it_is_not_or_is_newer_and_is_left_alone_else(tmp_path: Path) -> None:
    source = po(tmp_path, 'msgid "City"\nmsgstr "Stadt"\n')
    compile_stale([tmp_path])
    assert translated(tmp_path, "City") == "Stadt"
    before = source.with_suffix(".mo").stat().st_ino
    compile_stale([tmp_path])
    assert source.with_suffix(".mo").stat().st_ino == before
    po(tmp_path, 'msgid "City"\nmsgstr "Ort"\n')
    age(source, seconds=1)
    compile_stale([tmp_path])
    assert translated(tmp_path, "City") == "Ort"


def test_an_earlier_release_that_was_unpacked_over_a_later_one_is_compiled(tmp_path: Path) -> None:
    """Programs that unpack or copy keep the times of the files."""
    source = po(tmp_path, 'msgid "City"\nmsgstr "Stadt"\n')
    compile_stale([tmp_path])
    po(tmp_path, 'msgid "City"\nmsgstr "Ort"\n')
    age(source, seconds=-86_400)
    compile_stale([tmp_path])
    assert translated(tmp_path, "City") == "Ort"


def test_readers_find_the_old_file_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, replace, found = po(tmp_path, 'msgid "City"\nmsgstr "Stadt"\n'), Path.replace, []
    compile_catalog(source)
    po(tmp_path, 'msgid "City"\nmsgstr "Ort"\n')

    def look_and_replace(path: Path, target: Path) -> Path:
        found.append(translated(tmp_path, "City"))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", look_and_replace)
    compile_catalog(source)
    assert [*found, translated(tmp_path, "City")] == ["Stadt", "Ort"]
    assert [path.name for path in sorted(source.parent.iterdir())] == ["django.mo", "django.po"]


def test_the_same_texts_give_the_same_bytes(tmp_path: Path) -> None:
    compiled = []
    for name in ("one", "two"):
        source = po(tmp_path / name, 'msgid "City"\nmsgstr "Stadt"\n')
        compile_catalog(source)
        compiled.append(source.with_suffix(".mo").read_bytes())
    assert compiled[0] == compiled[1]
    assert b"1970" in compiled[0], "the time of no day"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('msgid "City"\nmsgid "Town"\nmsgstr "Stadt"\n', "missing msgstr for msgid 'City'"),
        ('<<<<<<< HEAD\nmsgid "City"\nmsgstr "Stadt"\n', "<<<<<<<"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(tmp_path: Path, body: str, told: str) -> None:
    source = po(tmp_path, body)
    with pytest.raises(ConfigurationError) as failure:
        compile_stale([tmp_path])
    assert str(failure.value).startswith(f"{source}:6: ")
    assert told in str(failure.value)
    assert not source.with_suffix(".mo").exists()


def test_what_can_not_be_written_is_told_unless_there_is_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, _data: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    source = po(tmp_path, 'msgid "City"\nmsgstr "Stadt"\n')
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(ConfigurationError, match=r"django\.mo can't be written: Permission denied; `make runtime`"):
        compile_stale([tmp_path])
    monkeypatch.undo()
    compile_stale([tmp_path])
    age(source, seconds=1)
    monkeypatch.setattr(Path, "write_bytes", refuse)
    compile_stale([tmp_path])
    assert translated(tmp_path, "City") == "Stadt"


def test_an_installed_package_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages" / "other"
    po(folder, 'msgid "City"\nmsgstr "Stadt"\n')
    compile_stale([folder])
    assert not list(folder.rglob("*.mo"))


def test_a_fresh_clone_has_its_translations_with_nothing_run_before(tmp_path: Path) -> None:
    clone = fresh_clone(tmp_path / "clone")
    assert not list(clone.rglob("*.mo"))
    program = "from django.utils.translation import gettext, override\nwith override('de'): print(gettext('Clients'), gettext('Sign out'))"
    variables = in_copy(clone, DEBUG="on", APP_STATE_DIR=str(tmp_path / "state"))
    done = run(clone, "manage.py", "--app", "energy", "shell", "-v", "0", "-c", program, variables=variables)
    assert done.stdout == "Kunden Abmelden\n", done.stderr
