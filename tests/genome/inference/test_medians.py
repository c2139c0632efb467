"""What a paid median tells: its value, and how many people it may be off by, against all that can be drawn."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from starling.genome.inference.medians import Median, median_error, paid_median
from starling.genome.measurements import Scanned
from starling.genome.plan import Scan
from starling.genome.scores.medians import median_scores
from tests.genome.inference.test_scans import scanned
from tests.genome.plan.test_intervals import RANGED

PLAN = replace(RANGED, steps=40)


def test_the_error_holds_for_every_study_with_its_chance() -> None:
    """Exact chances of 200 studies, of several sizes and shapes; of the worst study one person less holds with less than .95."""
    random = np.random.default_rng(3)
    for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(2)):
        off = median_error(PLAN, Scan(Fraction(4), median_epsilon=epsilon))
        assert off is not None
        for people in (5, 100, 400, 3_000):
            for spread in (0.5, 2.0, 20.0):
                levels = np.clip(np.rint(random.normal(random.uniform(0, 40), spread, people)), 0, 40).astype(np.int64)
                scores = median_scores(levels, 40)
                weights = np.exp(float(epsilon) / 2 * (scores - scores.max()))
                assert weights[scores < scores.max() - off].sum() / weights.sum() <= 0.05
        # One step divides the people in halves, and all others have as few on a side as may not be told with 95 %.
        worst = np.exp(-float(epsilon) / 2 * np.array([0] + [off] * 39))
        assert worst[1:].sum() / worst.sum() > 0.05


def test_the_value_is_half_way_to_the_next_step() -> None:
    question, drawn = Scan(Fraction(4), median_epsilon=Fraction(1, 2)), replace(scanned([1.0]), median=19)
    off = median_error(PLAN, question)
    assert isinstance(drawn, Scanned)
    assert off is not None
    assert paid_median(PLAN, question, drawn) == Median(19, 15 + 30 * 19.5 / 40, off)
    assert paid_median(PLAN, Scan(Fraction(4)), scanned([1.0])) is None
    assert median_error(PLAN, Scan(Fraction(4))) is None
