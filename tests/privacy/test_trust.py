"""The door: every misuse fails the type checker and fails at run time; the charge comes before the reading, always."""

import asyncio
import copy
import json
import logging
import os
import pickle
import re
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import BudgetRefused, DoorError, PolicyRefused, RunFailed
from starling.privacy.budget import Epsilon
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.laws import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.trust import Confidential, NotPrivate, Receipt, Released, inspect, publish
from tests.account import OneCharge

MISUSES = Path(__file__).parent / "door_misuse"
SECRET = 271828
PAID = measurement("persons", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1)))


@dataclass(frozen=True)
class Noisy:
    """A mechanism that writes down when it draws; its noise is 1, so that the tests can tell."""

    story: list[str] = field(default_factory=list)

    @property
    def guarantee(self) -> Guarantee:
        self.story.append("guarantee")
        return PAID

    def draw(self, exact: int, /) -> int:
        self.story.append("draw")
        return exact + 1


@dataclass(frozen=True)
class Recording:
    """An account that writes down when it is charged, and may refuse."""

    story: list[str] = field(default_factory=list)
    refusal: Exception | None = None

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        self.story.append("charge")
        if self.refusal is not None:
            raise self.refusal
        return Receipt("request", guarantee, "test")


def secret(story: list[str]) -> Confidential[int]:
    def read() -> int:
        story.append("read")
        return SECRET

    return Confidential(read)


def never_read() -> Confidential[int]:
    return Confidential(lambda: pytest.fail("the recipe was run"))


def released(value: int = 3) -> Released[int]:
    return publish(Confidential(lambda: value - 1), Noisy(), Recording())


# ---------------------------------------------------------------- the type checker


def expected_errors(path: Path) -> set[tuple[int, str]]:
    """Line and code of each `# E: code` of a misuse."""
    return {
        (number, code)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (comment := re.search(r"# E: (.+)$", line))
        for code in comment.group(1).split(", ")
    }


def test_type_checker_rejects_every_misuse_at_every_line(root: Path) -> None:
    files = sorted(MISUSES.glob("*.py"))
    assert len(files) == 5
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml", "--no-error-summary", *files],
        cwd=root,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, set[tuple[int, str]]] = {path.name: set() for path in files}
    for file, line, code in re.findall(
        r"^\S*?([^/\\:]+\.py):(\d+): error: .*\[([\w-]+)\]$", checked.stdout, re.MULTILINE
    ):
        found[file].add((int(line), code))
    assert found == {path.name: expected_errors(path) for path in files}, checked.stdout + checked.stderr
    assert all(found.values())


# ---------------------------------------------------------------- at run time: look at a confidential value

LOOKS: dict[str, Callable[[Any], object]] = {
    "repr": repr,
    "str": str,
    "format": "{:>8}".format,
    "f-string": lambda data: f"{data}",
    "percent": lambda data: "%s" % data,  # noqa: UP031 - the old form is one more way to show
    "print": print,
    "bool": bool,
    "branch": lambda data: 1 if data else 0,
    "not": lambda data: not data,
    "and": lambda data: data and 1,
    "call": lambda data: data(),
    "len": len,
    "iterate": list,
    "unpack": lambda data: [*data],
    "in": lambda data: SECRET in data,
    "hash": hash,
    "set": lambda data: {data},
    "key": lambda data: {data: 1},
    "equal": lambda data: data == SECRET,
    "unequal": lambda data: data != SECRET,
    "equal, reversed": lambda data: SECRET == data,  # noqa: SIM300 - the order is the point
    "below": lambda data: data < SECRET,
    "above, reversed": lambda data: SECRET > data,  # noqa: SIM300
    "sorted": lambda data: sorted([data, data]),
    "array compared": lambda data: np.array([SECRET]) == data,
    "index": lambda data: [1, 2][data],
    "int": int,
    "float": float,
    "add": lambda data: data + 1,
    "array": lambda data: np.asarray(data, dtype=np.int64),
    "json": json.dumps,
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "state": lambda data: data.__getstate__(),
    "reduce": lambda data: data.__reduce__(),
    "reduce_ex": lambda data: data.__reduce_ex__(4),
    "vars": vars,
    "attribute": lambda data: data.value,
    "recipe": lambda data: data.recipe,
    "unmangled": lambda data: getattr(data, "__recipe"),
    "await": asyncio.run,
    "context": lambda data: data.__enter__(),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_a_confidential_value_shows_nothing(look: Callable[[Any], object]) -> None:
    with pytest.raises((DoorError, TypeError, AttributeError, ValueError)) as caught:
        look(never_read())
    assert str(SECRET) not in "".join(traceback.format_exception(caught.value))


def test_a_log_line_shows_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger("tests.privacy.trust")
    monkeypatch.setattr(log, "propagate", False)  # to pytest's own handler, which raises what it meets
    log.addHandler(logging.StreamHandler(sys.stderr))
    log.warning("counts: %s", never_read())
    assert "counts: Confidential" not in (told := capsys.readouterr().err)
    assert "DoorError" in told


class Window:
    """Has the slot of a Confidential, under its own name and in the open."""

    __slots__ = ("_Confidential__recipe",)


def test_a_confidential_value_does_not_become_another_class() -> None:
    data: Any = never_read()
    with pytest.raises(DoorError):
        data.__class__ = Window
    with pytest.raises(DoorError):
        data.extra = 1
    with pytest.raises(DoorError):
        del data.extra


@pytest.mark.parametrize("kind", [Confidential, Released])
def test_the_types_of_the_door_have_no_subclasses(kind: type) -> None:
    with pytest.raises(DoorError):
        type("Other", (kind,), {"__slots__": (), "__post_init__": print})


def test_map_runs_nothing() -> None:
    story: list[str] = []

    def double(count: int) -> int:
        story.append("map")
        return 2 * count

    doubled = secret(story).map(double)
    assert story == []
    assert inspect(doubled).value == 2 * SECRET
    assert story == ["read", "map"]


# ---------------------------------------------------------------- at run time: forge a released value

FORGERIES: dict[str, Callable[[Released[int]], object]] = {
    "constructor": lambda real: Released(5, real.receipt),  # type: ignore[call-arg]
    "constructor with a key of its own": lambda real: Released(5, real.receipt, object()),  # type: ignore[arg-type]
    "constructor with a second door": lambda real: Released(5, real.receipt, _other_door()),
    "replace": lambda real: replace(real, value=5),  # type: ignore[call-arg]
    "replace with None": lambda real: replace(real, value=5, door=None),  # type: ignore[arg-type]
    "assign": lambda real: setattr(real, "value", 5),
    "new attribute": lambda real: setattr(real, "extra", 5),
    "delete": lambda real: delattr(real, "receipt"),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "reduce": lambda real: real.__reduce_ex__(4),
    "state into an empty one": lambda real: object.__new__(Released).__setstate__([5, real.receipt]),
    "a value never filled in": lambda real: object.__new__(Released).value,  # noqa: ARG005
    "an inspected value": lambda real: real.then(lambda _: inspect(Confidential(lambda: SECRET))),
    "a confidential value": lambda real: real.then(lambda _: never_read()),
}


def _other_door() -> Any:
    from starling.privacy import trust

    return trust._Door()


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_released_value_cannot_be_forged(forge: Callable[[Released[int]], object]) -> None:
    real = released()
    with pytest.raises((DoorError, TypeError, ValueError, AttributeError)):
        forge(real)
    assert real.value == 3


def test_an_inspected_value_cannot_be_made_or_passed_on() -> None:
    with pytest.raises(TypeError):
        NotPrivate(5)  # type: ignore[call-arg]
    with pytest.raises(DoorError):
        NotPrivate(5, _other_door())
    with pytest.raises(DoorError):
        pickle.dumps(inspect(Confidential(lambda: SECRET)))


@pytest.mark.parametrize("value", [SECRET, None, inspect(Confidential(lambda: SECRET)), released()])
def test_what_is_not_confidential_is_not_published_and_not_charged(value: Any) -> None:
    account = Recording()
    with pytest.raises(DoorError) as caught:
        publish(value, Noisy(), account)
    assert account.story == []
    assert str(SECRET) not in str(caught.value)


def test_a_mechanism_cannot_release_what_is_marked_not_private() -> None:
    class Unwrapping(Noisy):
        def draw(self, exact: int, /) -> Any:
            return inspect(Confidential(lambda: exact))

    with pytest.raises(DoorError) as caught:
        publish(Confidential(lambda: SECRET), Unwrapping(), Recording())
    assert str(SECRET) not in str(caught.value)


# ---------------------------------------------------------------- charge, read, draw


def test_the_charge_precedes_the_reading() -> None:
    story: list[str] = []
    out = publish(secret(story), Noisy(story), Recording(story))
    assert story == ["guarantee", "charge", "read", "draw"]
    assert out.value == SECRET + 1
    assert out.receipt == Receipt("request", PAID, "test")


def test_post_processing_keeps_the_receipt() -> None:
    real = released()
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
    def recipe() -> int:
        raise error

    return recipe


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
    DoorError(field=str(SECRET), problem="", fix=""),
    StopIteration(SECRET),
    ExceptionGroup(str(SECRET), [ValueError(SECRET)]),
    from_another(KeyError(SECRET)),
    SystemExit(SECRET),
    GeneratorExit(SECRET),
    asyncio.CancelledError(SECRET),
    Unusual(SECRET),
)


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("stage", ["recipe", "draw"])
def test_attack_a08_a_failing_run_says_the_same_whatever_failed(error: BaseException, stage: str) -> None:
    class Failing(Noisy):
        def draw(self, exact: int, /) -> int:  # noqa: ARG002 - it fails before it looks
            raise error

    account = Recording()
    recipe = raising(error) if stage == "recipe" else lambda: SECRET
    with pytest.raises(RunFailed) as caught:
        publish(Confidential(recipe), Failing() if stage == "draw" else Noisy(), account)
    assert account.story == ["charge"], "the charge stands, and there was one"
    assert caught.value.args == RunFailed().args
    assert caught.value.problems == RunFailed().problems
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert caught.value is not error
    assert str(SECRET) not in "".join(traceback.format_exception(caught.value))
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "publish", "no frame below the door"


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
