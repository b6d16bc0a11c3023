"""The map of the stations: who needs somebody is seen, and named beside it."""

import re

from django.test import Client

from apps.energy.views.station_map import picture_of
from portal.services.energy.stations import StationHealth, StationPosition
from portal.testing import Backend
from tests.support.offers import offered

POSITIONS, PATH = "/energy/stations/positions", "/en/energy/stations/map"


def station(name: str, health: StationHealth | None = None, *place: float | None) -> StationPosition:
    latitude, longitude = place or (52.5, 13.4)
    return StationPosition(id=f"sta_{name}", name=name, latitude=latitude, longitude=longitude, health=health)


def test_the_worst_is_drawn_last_above_what_is_at_the_same_place() -> None:
    healths = {"A": StationHealth.FAULT, "B": StationHealth.OK, "C": StationHealth("new"), "D": StationHealth.OFFLINE}
    drawn = picture_of([station(name, health) for name, health in healths.items()])
    assert drawn is not None
    assert [mark.stations[0].name for mark in drawn.marks] == ["C", "B", "D", "A"]


def test_the_picture_has_all_stations_north_is_above_and_what_has_no_place_is_left_out() -> None:
    places = ((60, 10), (37, 29), (None, 5), (5, None), (91, 0), (0, 181))
    drawn = picture_of([station(str(number), None, *place) for number, place in enumerate(places)])
    assert drawn is not None
    north, south = drawn.marks
    left, top, width, height = map(float, drawn.view_box.split())
    assert (north.y < south.y, north.x < south.x) == (True, True)
    for mark in drawn.marks:
        assert left < mark.x < left + width
        assert top < mark.y < top + height
    assert picture_of([station("pole", None, 90, 0)]) is not None
    assert picture_of([]) is None


def test_stations_of_a_town_are_one_mark(backend: Backend, browser: Client) -> None:
    healths = {48.4: "ok", 48.41: "fault", 48.39: "offline", 52.0: "ok", 48.0: "ok"}
    rows = [
        {
            "id": f"sta_{number}",
            "name": f"S{number}",
            "city": "Ulm",
            "latitude": latitude,
            "longitude": 10,
            "health": each,
        }
        for number, (latitude, each) in enumerate(healths.items())
    ]
    rows[4]["city"] = ""
    backend.answers("GET", POSITIONS, json={"stations": rows})
    picture = browser.get(PATH).content.decode().partition('<g aria-hidden="true">')[2].partition("</svg>")[0]
    marks = re.findall(
        r'<a href="([^"]*)".*?<title>([^<]*)</title>\s*<use class="mark (\w+)"[^>]*>\s*(.*?)\s*</a>', picture, re.DOTALL
    )
    assert marks == [
        ("/en/energy/stations/sta_3", "S3: OK", "ok", ""),
        ("/en/energy/stations/sta_4", "S4: OK", "ok", ""),
        ("/en/energy/stations?city=Ulm", "Ulm: 2 of 3 out of order", "fault", '<text x="9" y="4">2/3</text>'),
    ]


def test_needy_stations_are_links(backend: Backend, browser: Client) -> None:
    rows = [
        {"id": f"sta_{name}", "name": name, "latitude": 52, "longitude": 13, "health": health}
        for name, health in (("Ada", "ok"), ("Bea", "offline"), ("Cy", "fault"))
    ]
    backend.answers("GET", POSITIONS, json={"stations": rows})
    page = browser.get(PATH).content.decode()
    beside = page.partition('<ul class="in-need"')[2].partition("</ul>")[0]
    assert re.findall(r'href="/en/energy/stations/sta_([^"]*)">\1', beside) == ["Cy", "Bea"]
    assert 'href="/en/energy/stations?health=fault"' in page
    assert 'role="img" aria-label="Map with 3 stations"' in page
    picture = page.partition('<g aria-hidden="true">')[2].partition("</svg>")[0]
    assert (picture.count("<a "), picture.count('tabindex="-1"')) == (3, 3)
    assert "<title>Cy: Fault</title>" in picture


def test_without_positions_there_is_no_map_and_nothing_leads_there(backend: Backend, browser: Client) -> None:
    backend.lists("/energy/stations", [{"id": "sta_1"}])
    backend.answers("GET", POSITIONS, json={"stations": []})
    assert PATH in browser.get("/en/energy/stations").content.decode()
    assert "All is well" in browser.get(PATH).content.decode()
    with offered("energy.get_stations"):
        assert browser.get(PATH, headers={"cache-control": "no-cache"}).status_code == 404
        assert PATH not in browser.get("/en/energy/stations").content.decode()
