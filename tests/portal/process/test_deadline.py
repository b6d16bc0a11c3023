"""Time limits."""

from portal.process.deadline import Deadline


def test_a_share_passes_with_its_own_seconds_and_leaves_the_rest_of_the_whole():
    now = [100.0]
    whole = Deadline(10, clock=lambda: now[0])
    share = whole.part(seconds=3)
    assert Deadline(2, clock=lambda: now[0]).part(seconds=3).remaining() == 2, "never longer than the whole"
    assert share.remaining() == 3
    now[0] = 102
    assert (share.remaining(), share.passed) == (1, False)
    now[0] = 103
    assert (share.remaining(), share.passed) == (0, True)
    assert (whole.remaining(), whole.passed) == (7, False)
    now[0] = 110
    assert (whole.remaining(), whole.passed) == (0, True)
    now[0] = 200
    assert (whole.remaining(), share.remaining()) == (0, 0)
