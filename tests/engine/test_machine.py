"""The machine as the process may use it."""

from pathlib import Path

import pytest

from starling.engine import duck, machine


@pytest.mark.parametrize(
    ("text", "limit"), [("1073741824\n", 1 << 30), ("max\n", None), ("9223372036854771712\n", None), (None, None)]
)
def test_memory_is_the_containers_where_that_is_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, limit: int | None
) -> None:
    monkeypatch.setattr(machine, "CONTROL_GROUP", tmp_path / "absent")
    physical = machine.memory()
    if text is not None:
        (tmp_path / "memory.max").write_text(text)
        monkeypatch.setattr(machine, "CONTROL_GROUP", tmp_path / "memory.max")
    assert machine.memory() == (limit or physical)


def test_the_engine_takes_half_of_the_memory_and_no_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: 3 << 30)
    assert duck.default_limits().memory == 3 << 29
    monkeypatch.setattr(machine, "memory", lambda: 300 << 30)
    assert duck.default_limits().memory == duck.MOST_MEMORY


def test_processors() -> None:
    assert machine.processors() >= 1
