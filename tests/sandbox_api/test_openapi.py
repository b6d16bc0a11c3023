import re

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema


def test_the_description_is_valid_and_has_no_warnings():
    GENERATOR_STATS.reset()
    validate_schema(SchemaGenerator().get_schema(public=True))
    assert not GENERATOR_STATS


def test_the_page_needs_nothing_from_elsewhere(anyone):
    page = anyone.get("/docs").content.decode()
    assert "swagger-ui" in page
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", page)
    files = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", page)
    assert files
    for file in files:
        answer = anyone.get(file)
        answer.close()
        assert answer.status_code == 200, file
