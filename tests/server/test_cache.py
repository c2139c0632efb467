"""What was read is cached for a while, and no more of it than fits."""

import pytest

from starling.server import cache
from starling.server.cache import SECONDS, Cache


class Clock:
    """A clock that a test sets."""

    time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_value_is_cached_for_a_while() -> None:
    clock = Clock()
    values = Cache[str](clock)
    assert values.get("a") is None
    values.put("a", "x")
    clock.time += SECONDS - 1
    assert values.get("a") == "x"
    clock.time += 1
    assert values.get("a") is None
    values.put("a", "y")
    clock.time -= 1
    assert values.get("a") is None, "a clock that was set back"


def test_what_was_asked_for_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST", 2)
    values = Cache[int](Clock())
    values.put("a", 1)
    values.put("b", 2)
    assert values.get("a") == 1
    values.put("c", 3)
    assert [values.get(key) for key in "abc"] == [1, None, 3]
