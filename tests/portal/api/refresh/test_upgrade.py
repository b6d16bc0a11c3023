"""Records that an earlier release wrote, from before cached data belonged to sign-ins: nobody has to sign in again."""

from __future__ import annotations

from portal.process.deadline import Deadline
from tests.support.refresh_world import MAX_AGE_S, RefreshWorld

#: Of a sign-in that was refreshed twice, with the tokens of :class:`RefreshWorld`.
RECORDS = {
    "f30b95c2e3f977b2745cf85915fcef2d:token": (
        "vGswz1R5F+afPkA7Zh2T94EUFeDITPgJNYiJJIwQikrwojRW8ukGD5PmrOHHN/fb6Shhf68b3UyN+iBBGy7DjVALOFs0CQ=="
    ),
    "f49d8fef08cc0c770bec1e4fef23e413:token": (
        "972GeE5YX5ok2sZYI5R5a+aVHv2n0r0HZqPj0hiTT3EIgOIdM/8mFNcaePOXQneYQexmy5DDOI2I7WJHYmzyfPg/uBMIrQ=="
    ),
    "eb34bf77103814db2b37b5c2e90255b6:family": (
        "sIwn7DZlntJgQfhL+N+j3BUxNxxpNvUUwa222pC5HifNHnF3OUVBcr8y2YTmBlJdfcveUeQQDSjdzermhSc3CDtDrafZfaJM4MYg9CCu3yt0"
        "v2x/eWkKmYp3J2P/bY1lAMZDSznn3tqEFYqIKf5WZOpTvJaCbhL9alIu9k2nkJLHQ/odRBJdl/hBJnhOgvQ7tb43qlM0M/MlliHl2EF3pHFe"
        "chZ8cA+vXzrCa/Yl3KUVqD5Gx+Oy/SAob2mL5x03leN2MD997tvyZzNwbLZbDdj9I1mWx5o6eSIaUjBEvEffwulKN3LVvMzLSr/CiGF9+jpS"
        "sr275V4IZ78="
    ),
}


def test_tokens_of_an_earlier_release_are_refreshed(world: RefreshWorld) -> None:
    pairs, process = [world.backend.sign_in()], world.process()
    for _ in range(2):
        world.expire()
        refresh = pairs[-1].refresh or ""
        pairs.append(world.backend.submit(refresh=refresh, deadline=Deadline(1), request_id=None).pair)
    for key, value in RECORDS.items():
        process.store.set(key, value, lifetime_s=MAX_AGE_S)
    world.backend.submitted.clear()
    assert process.refreshed(pairs[1]).current == pairs[2], "another tab still had the pair of before"
    assert not world.backend.submitted
    world.expire()
    assert process.refreshed(pairs[2]).current.refresh not in {pair.refresh for pair in pairs}
    assert world.backend.submitted == {pairs[2].refresh: 1}
