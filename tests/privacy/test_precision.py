"""One precision for the whole process: restored, nested by one thread, waited for by others."""

from threading import Event, Thread

import pytest
from flint import ctx

from starling.privacy.precision import precision


def test_precision_is_set_nested_and_restored() -> None:
    before = ctx.prec
    with precision(200):
        assert ctx.prec == 200
        with precision(300):
            assert ctx.prec == 300
        assert ctx.prec == 200
    assert ctx.prec == before


def test_precision_is_restored_after_an_error() -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(200):
        raise ZeroDivisionError
    assert ctx.prec == before


def test_another_thread_waits() -> None:
    inside, seen = Event(), []

    def other() -> None:
        inside.set()
        with precision(777):
            seen.append(ctx.prec)

    with precision(200):
        thread = Thread(target=other)
        thread.start()
        inside.wait(10)
        thread.join(0.05)
        assert (seen, ctx.prec) == ([], 200)
    thread.join(10)
    assert seen == [777]
