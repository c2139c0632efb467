"""The boundary: every misuse fails the type checker and fails at run time; the charge comes before the reading, always."""

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
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import BoundaryError
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Confidential, NotPrivate, Receipt, Released, inspect, publish
from tests.privacy.recording import PAID, SECRET, Noisy, Recording, never_read, secret

MISUSES = Path(__file__).parent / "boundary_misuse"


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


@pytest.mark.slow
def test_type_checker_rejects_every_misuse_at_every_line(root: Path, tmp_path: Path) -> None:
    """Without the types of numpy, which none of them uses, and whose stubs take most of the time."""
    alone: list[str | Path] = [
        "--no-site-packages",
        "--ignore-missing-imports",
        "--follow-imports",
        "silent",
        "--cache-dir",
        tmp_path,
    ]
    files = sorted(MISUSES.glob("*.py"))
    assert len(files) == 5
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml", "--no-error-summary", *alone, *files],
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
    "computation": lambda data: data.computation,
    "unmangled": lambda data: getattr(data, "__computation"),
    "await": asyncio.run,
    "context": lambda data: data.__enter__(),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_a_confidential_value_shows_nothing(look: Callable[[Any], object]) -> None:
    with pytest.raises((BoundaryError, TypeError, AttributeError, ValueError)) as caught:
        look(never_read())
    assert str(SECRET) not in "".join(traceback.format_exception(caught.value))


def test_a_log_line_shows_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger("tests.privacy.trust")
    monkeypatch.setattr(log, "propagate", False)  # to pytest's own handler, which raises what it meets
    log.addHandler(logging.StreamHandler(sys.stderr))
    log.warning("counts: %s", never_read())
    assert "counts: Confidential" not in (told := capsys.readouterr().err)
    assert "BoundaryError" in told


class Window:
    """Has the slot of a Confidential, under its own name and in the open."""

    __slots__ = ("_Confidential__computation",)


def test_a_confidential_value_does_not_become_another_class() -> None:
    data: Any = never_read()
    with pytest.raises(BoundaryError):
        data.__class__ = Window
    with pytest.raises(BoundaryError):
        data.extra = 1
    with pytest.raises(BoundaryError):
        del data.extra


@pytest.mark.parametrize("kind", [Confidential, Released])
def test_the_types_of_the_door_have_no_subclasses(kind: type) -> None:
    with pytest.raises(BoundaryError):
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
    "constructor with a second boundary": lambda real: Released(5, real.receipt, _other_boundary()),
    "replace": lambda real: replace(real, value=5),  # type: ignore[call-arg]
    "replace with None": lambda real: replace(real, value=5, boundary=None),  # type: ignore[arg-type]
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


def _other_boundary() -> Any:
    from starling.privacy import trust

    return trust._Boundary()


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_released_value_cannot_be_forged(forge: Callable[[Released[int]], object]) -> None:
    real = released()
    with pytest.raises((BoundaryError, TypeError, ValueError, AttributeError)):
        forge(real)
    assert real.value == 3


def test_an_inspected_value_cannot_be_made_or_passed_on() -> None:
    with pytest.raises(TypeError):
        NotPrivate(5)  # type: ignore[call-arg]
    with pytest.raises(BoundaryError):
        NotPrivate(5, _other_boundary())
    with pytest.raises(BoundaryError):
        pickle.dumps(inspect(Confidential(lambda: SECRET)))


@pytest.mark.parametrize("value", [SECRET, None, inspect(Confidential(lambda: SECRET)), released()])
def test_what_is_not_confidential_is_not_published_and_not_charged(value: Any) -> None:
    account = Recording()
    with pytest.raises(BoundaryError) as caught:
        publish(value, Noisy(), account)
    assert account.story == []
    assert str(SECRET) not in str(caught.value)


def test_a_mechanism_cannot_release_what_is_marked_not_private() -> None:
    class Unwrapping(Noisy):
        def draw(self, exact: int, /) -> Any:
            return inspect(Confidential(lambda: exact))

    with pytest.raises(BoundaryError) as caught:
        publish(Confidential(lambda: SECRET), Unwrapping(), Recording())
    assert str(SECRET) not in str(caught.value)


@dataclass(frozen=True)
class Arrays:
    """A mechanism for tests whose answers are arrays."""

    guarantee: Guarantee = PAID

    def draw(self, exact: int, /) -> tuple[Any, ...]:
        return np.array([exact]), (np.zeros((2, 2)),)


@dataclass(frozen=True)
class Paying:
    """An account that pays for arrays, and keeps none."""

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        return Receipt("request", guarantee, "test")

    def resume(self) -> None:
        return None

    def commit(self, drawn: tuple[Any, ...], /) -> tuple[Any, ...]:
        return drawn


def test_released_arrays_are_read_only() -> None:
    drawn = publish(Confidential(lambda: 2), Arrays(), Paying())
    first, (second,) = drawn.value
    for array in (first, second, drawn.then(lambda value: value[0].copy()).value):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
