"""The error tree, and what an error that is kept keeps with it."""

from portal.errors import ApiUnavailableError, without_traceback


def fail_twice() -> None:
    try:
        {}["first"]
    except KeyError:
        raise OSError("second")  # noqa: B904  the context that Python itself notes


def test_an_error_that_is_kept_refers_to_no_frame_nor_do_its_causes() -> None:
    try:
        try:
            fail_twice()
        except OSError as error:
            raise ApiUnavailableError("third") from error
    except ApiUnavailableError as error:
        kept = without_traceback(error)
    cause = kept.__cause__
    assert [kept.__traceback__, cause.__traceback__, cause.__context__.__traceback__] == [None, None, None]
    assert [str(kept), str(cause), str(cause.__context__)] == ["third", "second", "'first'"]
