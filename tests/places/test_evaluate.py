"""A release beside the truth: the paper's error, by an independent count."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from starling.errors import SourceError
from starling.places.evaluate import check_same, evaluate
from starling.places.generate.worlds import workloads
from starling.places.publish import release
from starling.places.source import open_records
from starling.privacy.trust import NotPrivate
from starling.release.payment import PaymentOptions
from tests.places.plans import CELLS, SLICED, plan, write_world


def test_errors_are_those_of_the_released_grid(tmp_path: Path) -> None:
    records, chosen = write_world(tmp_path), plan()
    folder = release(chosen, records, tmp_path / "out", payment=PaymentOptions(unvalidated=True)).folder
    result = evaluate(chosen, open_records(records, chosen), folder)
    assert isinstance(result, NotPrivate)
    errors = result.value.slices["all"]
    from starling import open_release

    created = open_release(folder).table("cells")["points"].to_numpy().reshape(2, 4)
    assert errors.points == 5
    assert errors.total == pytest.approx(created.sum() - 5)
    assert errors.largest == pytest.approx(np.abs(created - CELLS).max())
    assert list(errors.relative) == [name for name, _ in workloads((2, 4), 1)]
    with pytest.raises(SourceError, match="is none of this plan"):
        evaluate(plan(SLICED), open_records(records, chosen), folder)


def test_a_release_of_another_kind_is_one_of_another_plan() -> None:
    own = {"plan_sha256": plan().digest}
    stated: list[Any] = [{"domain": "places", "mechanism": own}, {"domain": "tables", "mechanism": own}]
    stated += [{"domain": "places"}, {"domain": "places", "mechanism": {"plan_sha256": "0"}}]
    first, *others = (SimpleNamespace(statement=each) for each in stated)
    release: Any = first
    check_same(release, plan())
    for release in others:
        with pytest.raises(SourceError, match="is none of this plan"):
            check_same(release, plan())
