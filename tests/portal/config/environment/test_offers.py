"""`APP_BACKEND_OFFERS`: words, a file of names, or what the backend's class says."""

from pathlib import Path
from typing import Any

import pytest

from portal.api import Backend
from portal.config.environment.offers import ALL, CONTRACT_FILE, read_offers, read_offers_file
from portal.errors import ConfigurationError

NAME = "APP_BACKEND_OFFERS"


class Own(Backend):
    offers = frozenset({"energy.get_stations"})


def own(offers: object) -> Any:
    return type("Own", (Backend,), {"offers": offers})()


@pytest.mark.parametrize("offers", ["all", ["energy.get_stations"], {"energy"}, {1}, {"a.b": 1}])
def test_class_without_set_of_names_stops_start(monkeypatch: pytest.MonkeyPatch, offers: object) -> None:
    monkeypatch.setenv(NAME, "")
    with pytest.raises(ConfigurationError, match=r"^offers of Own, as APP_BACKEND_OFFERS is unset, "):
        read_offers(NAME, backend=own(offers))


@pytest.mark.parametrize(
    ("word", "backend", "offered"),
    [
        ("", None, None),
        ("", Backend(), None),
        ("", Own(), Own.offers),
        ("", own({"*"}), ALL),
        ("required", Own(), frozenset()),
        (" all ", None, ALL),
        ("contract", None, read_offers_file(CONTRACT_FILE)),
    ],
)
def test_word_stands_before_the_class(
    monkeypatch: pytest.MonkeyPatch, word: str, backend: Backend | None, offered: frozenset[str] | None
) -> None:
    monkeypatch.setenv(NAME, word)
    assert read_offers(NAME, backend=backend) == offered


def test_file_has_a_name_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "offers.txt"
    file.write_bytes(b"\xef\xbb\xbf# all\r\nenergy.get_stations\r\n\r\n energy.a?b[c] # a city\r\nx.y:total\r\n")
    monkeypatch.setenv(NAME, str(file))
    assert read_offers(NAME, backend=Own()) == frozenset({"energy.get_stations", "energy.a?b[c]", "x.y:total"})
    file.write_text("# none of them\n")
    assert read_offers_file(file) == frozenset()


@pytest.mark.parametrize("text", ["energy", "energy.get_stations, energy.get_meters", "a.b?c:total", "\xff", "", "\n"])
def test_malformed_declaration_stops_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    file = tmp_path / "offers.txt"
    file.write_bytes(text.encode("latin-1"))
    for path in (file, tmp_path, tmp_path / "none"):
        monkeypatch.setenv(NAME, str(path))
        with pytest.raises(ConfigurationError, match=f"^{NAME} should be required, contract, all, or the path"):
            read_offers(NAME, backend=None)
