"""A release of areas beside the truth, by an independent count; intervals that miss are seen."""

from pathlib import Path

import pandas as pd
import pytest

from starling import places
from starling.errors import SourceError
from starling.places.areas.evaluate import evaluate
from starling.places.source import open_records
from starling.privacy.trust import NotPrivate
from tests.places.areas.worlds import plan

RECORDS = pd.DataFrame({"zone": ["a", "a", "b", "c", "e", "e"], "fare": [1.0, 3.0, 2.0, -1.0, 3.0, 0.0]})
TRUE = {"a": 2, "b": 1, "c": 1, "d": 0, "e": 2}
MEANS = {"a": 2.0, "b": 2.0, "c": -1.0, "e": 1.5}


def test_errors_are_those_of_the_released_areas(tmp_path: Path) -> None:
    named = {"input": {"area": "zone", "value": "fare"}, "value": {"lower": -1, "upper": 3}}
    stated = plan(tmp_path, privacy={"unit": "point", "epsilon": "3"}, **named)
    chosen = places.AreasPlan.of(stated.values(), folder=tmp_path)
    release = chosen.release(RECORDS)
    result = evaluate(chosen, open_records(RECORDS, chosen), release.folder)
    assert isinstance(result, NotPrivate)
    assert [each.level for each in result.value.levels] == ["all", "side", "area"]
    errors = result.value.levels[-1]
    rows = release.area_rows().to_pylist()
    apart = [abs(row["points"] - TRUE[row["id"]]) for row in rows]
    held = [row["lower"] <= TRUE[row["id"]] <= row["upper"] for row in rows]
    assert errors.points == 6
    assert (errors.error, errors.largest, errors.held) == pytest.approx((sum(apart) / 5, max(apart), sum(held) / 5))
    pairs = [(row, MEANS[row["id"]]) for row in rows if row["id"] in MEANS]
    off = [abs((1.0 if row["mean"] is None else row["mean"]) - true) for row, true in pairs]
    assert errors.mean_error == pytest.approx(sum(off) / 4)
    assert errors.means_held == sum(row["mean_lower"] <= true <= row["mean_upper"] for row, true in pairs) / 4
    assert "NOT PRIVATE" in repr(result.value)
    # Of forty times as many records all but the empty area are missed, by some fifteen deviations or more.
    missed = evaluate(chosen, open_records(pd.concat([RECORDS] * 40), chosen), release.folder).value.levels[-1]
    assert missed.held == sum(row["lower"] <= 40 * TRUE[row["id"]] <= row["upper"] for row in rows) / 5
    assert missed.held <= 1 / 5
    with pytest.raises(SourceError, match="is none of this plan"):
        evaluate(plan(tmp_path, input={"area": "zone"}), open_records(RECORDS, chosen), release.folder)
