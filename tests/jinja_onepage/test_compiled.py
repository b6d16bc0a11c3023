"""A folder of compiled templates: one process writes it, others read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jinja_onepage import CompiledTemplates

SOURCES = [("a.html", "A"), ("b.html", "B")]
CODE = compile("'a text of the page'", "a.html", "eval")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one template."""
    writer = CompiledTemplates(tmp_path, sources=SOURCES)
    assert writer.names == ()
    writer.add("a.html", CODE)
    writer.end()
    return tmp_path


def test_the_code_that_one_process_writes_another_one_reads(folder: Path) -> None:
    reader = CompiledTemplates(folder, sources=SOURCES)
    assert reader.names == ("a.html",)
    code = reader.code("a.html")
    assert code is not None
    assert eval(code) == "a text of the page"
    assert reader.code("b.html") is None


def test_templates_that_have_changed_are_not_read(folder: Path) -> None:
    reader = CompiledTemplates(folder, sources=[("a.html", "changed")])
    assert reader.names == ()
    assert reader.code("a.html") is None


def test_a_reader_writes_nothing_into_the_folder(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    reader = CompiledTemplates(folder, sources=SOURCES)
    reader.add("b.html", CODE)
    reader.end()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("kept", [0, 20], ids=["empty", "a part"])
@pytest.mark.parametrize("is_index", [True, False])
def test_a_file_that_is_not_whole_counts_as_absent(folder: Path, kept: int, is_index: bool) -> None:
    for path in folder.iterdir():
        if (path.name == "index") is is_index:
            path.write_bytes(path.read_bytes()[:kept])
    assert CompiledTemplates(folder, sources=SOURCES).code("a.html") is None
