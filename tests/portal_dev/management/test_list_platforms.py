"""`list_platforms`."""

import io
import json

from django.core.management import call_command

from portal.config.platforms import PLATFORMS


def test_platforms_are_listed_in_the_registrys_order() -> None:
    out = io.StringIO()
    call_command("list_platforms", "--json", stdout=out)
    assert [each["name"] for each in json.loads(out.getvalue())] == [platform.name for platform in PLATFORMS]
