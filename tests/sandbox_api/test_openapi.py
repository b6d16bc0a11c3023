from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema


def test_the_description_is_valid_and_has_no_warnings():
    GENERATOR_STATS.reset()
    validate_schema(SchemaGenerator().get_schema(public=True))
    assert not GENERATOR_STATS
