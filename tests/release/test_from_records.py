"""What every kind of release does with records: engine, records and plan are checked, in this order, before anything is paid."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from starling.engine.record_files import Records
from starling.errors import OutputError, ParameterError, PlanError
from starling.release.from_records import FromRecords

STEPS: list[str] = []


def _kind(*, prepared: bool) -> FromRecords:
    def opened(*_: Any) -> Records:
        STEPS.append("open")
        return Records((), (), "text", (), (), ())

    def prepare(_: Any) -> None:
        STEPS.append("prepare")
        if not prepared:
            raise PlanError("areas", "cannot be", "draw others")

    def never(*_: Any, **__: Any) -> Any:
        pytest.fail("nothing is counted, validated or published")

    return FromRecords(never, opened, never, never, prepare)


def test_a_plan_that_breaks_breaks_before_anything_is_published(tmp_path: Path) -> None:
    kind = _kind(prepared=False)
    for act in (partial(kind.deliver, None, tmp_path), partial(kind.release, None, tmp_path, tmp_path / "out")):
        STEPS.clear()
        with pytest.raises(PlanError):
            act()
        assert STEPS == ["open", "prepare"]


def test_no_record_is_opened_for_an_engine_that_there_is_not(tmp_path: Path) -> None:
    kind = _kind(prepared=True)
    STEPS.clear()
    for act in (partial(kind.deliver, None, tmp_path), partial(kind.release, None, tmp_path, tmp_path / "out")):
        with pytest.raises(ParameterError, match="engine"):
            act(engine="abacus")
    assert not STEPS


def test_records_in_memory_are_released_anew_here_or_not_at_all(tmp_path: Path) -> None:
    # They lie in no file, so that no worker reaches them and nothing tells whether a folder is the answer for them.
    kind = _kind(prepared=True)
    STEPS.clear()
    with pytest.raises(OutputError, match="always released anew"):
        kind.release(None, {}, tmp_path)
    with pytest.raises(ParameterError, match="does not reach records in this session"):
        kind.release(None, {}, tmp_path / "out", engine="spark://local")
    assert STEPS == ["open", "open"]
