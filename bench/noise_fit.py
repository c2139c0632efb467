"""Goodness of fit of the exact noise at 10^8 draws a distribution: the largest chi-square, what it could have seen, and how long it took.

The tests do the same with 10^7 draws. A distribution is rejected where its statistic is above the threshold of a false alarm of 10^-9;
beside it stands the power against a scale that is off by 0.2 %.
"""

from fractions import Fraction
from typing import Final

import numpy as np
from scipy.stats import chi2

from bench.measure import Json, timed
from bench.record import Limit, Recorder
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.sampling.inversion import Search
from starling.privacy.sampling.noise import draw
from tests.privacy.goodness_of_fit import FALSE_ALARM, Bins, bins, excess, power, stretched

LAWS: Final[tuple[Distribution, ...]] = (
    *(DiscreteLaplace(Fraction(scale)) for scale in ("1/3", "1", "10", "100", "1000", "5000", "1000000")),
    *(DiscreteGaussian(Fraction(s2)) for s2 in ("1/3", "1", "100", "10000", "1000000", "100000000")),
)
SEARCHES: Final[tuple[Search, ...]] = ("guided", "fixed")
AT_ONCE: Final = 10**7
FACTOR: Final = Fraction("1.002")


def counted(law: Distribution, cut: Bins, draws: int, search: Search) -> np.typing.NDArray[np.int64]:
    """How many of that many draws fall into each bin, drawn in parts that fit into memory."""
    total = np.zeros(cut.cuts.size + 1, dtype=np.int64)
    while draws:
        part = min(draws, AT_ONCE)
        total += cut.counts(draw(law, part, search=search))
        draws -= part
    return total


def measure(law: Distribution, draws: int, search: Search) -> dict[str, Json]:
    """The row of one distribution and one search."""
    cut = bins(law, draws)
    claimed = cut.chances(law)
    counts = []
    seconds = timed(lambda: counts.append(counted(law, cut, draws, search)))
    freedom = claimed.size - 1
    beyond = excess(counts[0], claimed)
    row: dict[str, Json] = {
        "law": "laplace" if isinstance(law, DiscreteLaplace) else "gaussian",
        "parameter": str(law.scale if isinstance(law, DiscreteLaplace) else law.sigma_squared),
        "search": search,
        "bins": claimed.size,
        "statistic_over_threshold": round(beyond, 3),
        "p": float(f"{chi2.sf(beyond * chi2.isf(FALSE_ALARM, freedom), freedom):.3g}"),
        "power": round(power(cut.chances(stretched(law, FACTOR)), claimed, draws), 6),
        "seconds": round(seconds, 2),
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Test all laws with both searches and write the result."""
    recorder = Recorder("noise_fit", "Goodness of fit of the exact noise.")
    draws = 10**5 if recorder.begin().quick else 10**8
    rows: list[dict[str, Json]] = [measure(law, draws, search) for law in LAWS for search in SEARCHES]
    figures = {name: [float(str(row[name])) for row in rows] for name in ("statistic_over_threshold", "power")}
    recorder.end(
        settings={"draws_per_law": draws, "false_alarm": FALSE_ALARM, "power_against_scale_times": str(FACTOR)},
        rows=[*rows],
        limits=[
            Limit("largest chi-square over its threshold", max(figures["statistic_over_threshold"]), 1, ""),
            Limit("least power against a scale that is 0.2 % off", min(figures["power"]), 0.999, "", least=True),
        ],
    )


if __name__ == "__main__":
    main()
