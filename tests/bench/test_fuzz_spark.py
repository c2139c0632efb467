"""The search for inputs that make counting raise counts by Spark too."""

from typing import Any

import pytest

from bench.fuzz.__main__ import main
from bench.fuzz.grids import PLACES


@pytest.mark.slow
def test_no_batch_makes_spark_raise(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the Spark that test files share, in place of one that the command would start."""
    monkeypatch.setattr("bench.fuzz.attempt.spark", lambda: spark)
    assert main(["--rows", "5", "--again", PLACES[0].name, "csv+spark", "1"]) == 0
    assert capsys.readouterr().out == "('counted', 5)\n"
