"""Publishing: charge, read, draw, commit, in this order, and one constant message for whatever fails after the charge."""

import asyncio
import traceback
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import BoundaryError, BudgetRefused, PolicyRefused, RunFailed
from starling.privacy.budget import Epsilon
from starling.privacy.trust import Confidential, Receipt, Released, publish
from tests.account import OneCharge
from tests.privacy.recording import PAID, SECRET, Noisy, Recording, never_read, secret


def test_the_charge_precedes_the_reading() -> None:
    story: list[str] = []
    out = publish(secret(story), Noisy(story), Recording(story))
    assert story == ["guarantee", "charge", "resume", "read", "draw", "commit"]
    assert out.value == SECRET + 1
    assert out.receipt == Receipt("request", PAID, "test")


def test_a_draw_that_the_charge_is_committed_to_is_neither_read_nor_drawn_for_again() -> None:
    story: list[str] = []
    out = publish(never_read(), Noisy(story), Recording(story, kept=9))
    assert story == ["guarantee", "charge", "resume"]
    assert out.value == 9
    assert out.receipt == Receipt("request", PAID, "test")


def test_attack_a26_nothing_is_released_before_the_charge_is_committed_to_it() -> None:
    class Refusing(Recording):
        def commit(self, drawn: int, /) -> int:
            raise PolicyRefused(field="draw", problem=f"is another run's, not {type(drawn).__name__}", fix="wait")

    with pytest.raises(PolicyRefused, match="another run's, not int"):
        publish(Confidential(lambda: SECRET), Noisy(), Refusing())


def test_post_processing_keeps_the_receipt() -> None:
    real = publish(Confidential(lambda: 2), Noisy(), Recording())
    assert real.then(lambda value: value * 10) == Released.then(real, lambda value: value * 10)
    assert real.then(str).value == "3"
    assert real.then(str).receipt is real.receipt


@pytest.mark.parametrize(
    "refusal",
    [
        BudgetRefused(field="account", problem="is spent", fix="wait"),
        PolicyRefused(field="account", problem="is closed", fix="ask"),
        OSError("the ledger's disk is full"),
    ],
)
def test_a_refused_charge_reads_nothing(refusal: Exception) -> None:
    story: list[str] = []
    with pytest.raises(type(refusal)) as caught:
        publish(never_read(), Noisy(story), Recording(story, refusal))
    assert caught.value is refusal
    assert story == ["guarantee", "charge"]


def test_an_account_for_one_charge_refuses_the_second_and_reads_nothing() -> None:
    account = OneCharge(Epsilon(Fraction(1)), "request")
    publish(Confidential(lambda: SECRET), Noisy(), account)
    with pytest.raises(BudgetRefused):
        publish(never_read(), Noisy(), account)


class Unusual(BaseException):
    """What `except Exception` lets through."""


def raising(error: BaseException) -> Callable[[], int]:
    def computation() -> int:
        raise error

    return computation


def from_another(error: Exception) -> Exception:
    outer = ValueError(SECRET)
    outer.__cause__ = outer.__context__ = error
    return outer


FAILURES: Sequence[BaseException] = (
    ValueError(f"person {SECRET}"),
    ZeroDivisionError(),
    OverflowError(SECRET),
    UnicodeDecodeError("utf-8", b"271828", 0, 1, "271828"),
    MemoryError(),
    RecursionError(),
    OSError(28, str(SECRET)),
    RunFailed(),
    BudgetRefused(field=str(SECRET), problem="", fix=""),
    BoundaryError(field=str(SECRET), problem="", fix=""),
    StopIteration(SECRET),
    ExceptionGroup(str(SECRET), [ValueError(SECRET)]),
    from_another(KeyError(SECRET)),
    SystemExit(SECRET),
    GeneratorExit(SECRET),
    asyncio.CancelledError(SECRET),
    Unusual(SECRET),
)


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("stage", ["computation", "draw"])
def test_attack_a08_a_failing_run_says_the_same_whatever_failed(error: BaseException, stage: str) -> None:
    class Failing(Noisy):
        def draw(self, exact: int, /) -> int:  # noqa: ARG002 - it fails before it looks
            raise error

    account = Recording()
    computation = raising(error) if stage == "computation" else lambda: SECRET
    with pytest.raises(RunFailed) as caught:
        publish(Confidential(computation), Failing() if stage == "draw" else Noisy(), account)
    assert account.story == ["charge", "resume"], "the charge stands, there was one, and it is committed to nothing"
    assert caught.value.args == RunFailed().args
    assert caught.value.problems == RunFailed().problems
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert caught.value is not error
    assert str(SECRET) not in "".join(traceback.format_exception(caught.value))
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "publish", "no frame below the boundary"


def test_an_interrupt_stays_one_without_what_it_says() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        publish(Confidential(raising(KeyboardInterrupt(SECRET))), Noisy(), Recording())
    assert caught.value.args == ()
    assert caught.value.__context__ is None


def test_attack_a08_a_warning_of_the_run_is_not_shown() -> None:
    def overflowing() -> int:
        warnings.warn(f"person {SECRET}", stacklevel=1)
        return int(np.array([2**62], dtype=np.int64).astype(np.float32).astype(np.int8)[0])

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        publish(Confidential(overflowing), Noisy(), Recording())
    assert shown == []
