"""Figure 4 of the genome paper: errors of ln p when a p-value is asked for, ours and rivals'. Nothing is timed.

1,000 patients, half of them cases, Pearson's test, epsilon 1/5. The paper's minor-allele frequency of .2 may be one of alleles, so that
.36 of the people carry one, or of carriers, as in its Section 3: both are done. The tables are those whose p-values come nearest to
powers of 1/10. All noise is drawn by the mechanisms that ship. Rivals' answers are put into the range that statistics of 1,000
patients have: chi-squared from 0 to 1,000, and p-values from that of 1,000 to 1.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.estimate import Claim, Estimate
from bench.genome_pictures import draw
from bench.measure import Json
from bench.record import Limit, Recorder
from bench.rivals import Neighbours, noisy_statistics
from starling.genome.arrays import Float64
from starling.genome.statistics.association import log10_p_values
from starling.genome.statistics.tails import chi_squared_log_tail
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_laplace

Int64: TypeAlias = npt.NDArray[np.int64]

PEOPLE: Final = 1_000
EPSILON: Final = Fraction(1, 5)
CARRIERS: Final = (360, 200)
POWERS: Final = tuple(range(-1, -11, -1))
DRAWS: Final = 10_000
"""The paper takes 1,000."""
OURS: Final = ("snp_pval as published", "snp_pval with lattice noise")


def table(carriers: int, power: int) -> Int64:
    """The table (a, b, c, d) of half cases whose p-value is nearest to 10^power."""
    half = PEOPLE // 2
    among_cases = np.arange(carriers // 2, min(carriers, half) + 1)
    among_controls = carriers - among_cases
    tables = np.stack([among_cases, half - among_cases, among_controls, half - among_controls], axis=1)
    return np.asarray(tables[np.abs(log10_p_values(tables, "chi2") - power).argmin()])


def laplace(exact: Int64, draws: int) -> Float64:
    """ln p from counts with noise of scale 2/epsilon each, as published."""
    return _of_counts(exact + discrete_laplace(2 / EPSILON, (draws, 4)))


def lattice(exact: Int64, draws: int) -> Float64:
    """ln p from counts with lattice noise."""
    return _of_counts(exact + lattice_noise(EPSILON, draws).reshape(draws, 4))


def chi_squared(neighbours: Neighbours) -> Callable[[Int64, int], Float64]:
    """ln p from a noisy statistic."""

    def answers(exact: Int64, draws: int) -> Float64:
        noisy = noisy_statistics(np.tile(exact, (draws, 1)), "chi2", EPSILON, neighbours).answer
        return chi_squared_log_tail(np.clip(noisy, 0, PEOPLE), 1)

    return answers


def p_value(neighbours: Neighbours) -> Callable[[Int64, int], Float64]:
    """ln of a noisy p-value."""

    def answers(exact: Int64, draws: int) -> Float64:
        noisy = noisy_statistics(np.tile(exact, (draws, 1)), "p", EPSILON, neighbours).answer
        least = float(chi_squared_log_tail(np.array([float(PEOPLE)]), 1)[0])
        return np.log(np.clip(noisy, np.exp(least), 1))

    return answers


MECHANISMS: Final[dict[str, Callable[[Int64, int], Float64]]] = {
    OURS[0]: laplace,
    OURS[1]: lattice,
    "chi-squared, restricted": chi_squared("restricted"),
    "chi-squared, unrestricted": chi_squared("unrestricted"),
    "p-value, restricted": p_value("restricted"),
    "p-value, unrestricted": p_value("unrestricted"),
}


def error(mechanism: str, carriers: int, power: int, draws: int) -> dict[str, Json]:
    """Root mean squared error of ln p at one table, with the interval that the draws leave, and the median size of the error."""
    exact = table(carriers, power)
    ln_p = float(log10_p_values(exact[np.newaxis], "chi2")[0] * np.log(10))
    off = MECHANISMS[mechanism](exact, draws) - ln_p
    squares = off**2
    mean, reach = squares.mean(), 1.96 * squares.std() / np.sqrt(draws)
    figures = {"error": mean, "error_low": max(0.0, mean - reach), "error_high": mean + reach}
    return {
        "mechanism": mechanism,
        "carriers": carriers,
        "power": power,
        "log10_p": float(f"{ln_p / np.log(10):.4g}"),
        **{name: float(f"{np.sqrt(value):.4g}") for name, value in figures.items()},
        "median": float(f"{np.median(np.abs(off)):.4g}"),
        "draws": draws,
    }


def _of_counts(noisy: Int64) -> Float64:
    return np.asarray(log10_p_values(np.maximum(noisy, 0), "chi2") * np.log(10))


def chosen(rows: list[dict[str, Any]], mechanism: str, carriers: int, power: int) -> dict[str, Any]:
    """One row."""
    asked = {"mechanism": mechanism, "carriers": carriers, "power": power}
    return next(row for row in rows if asked.items() <= row.items())


def times(rows: list[dict[str, Any]], rival: str, carriers: int, powers: tuple[int, ...]) -> Estimate:
    """How many times our error as published a rival's is, at the p-value where it is least."""

    def at(power: int) -> Estimate:
        ours, other = (chosen(rows, name, carriers, power) for name in (OURS[0], rival))
        return Estimate(
            round(other["error"] / ours["error"], 2),
            round(other["error_low"] / ours["error_high"], 2),
            round(other["error_high"] / ours["error_low"], 2),
            ours["draws"],
        )

    return min((at(power) for power in powers), key=lambda found: found.mean)


def claims(rows: list[dict[str, Any]]) -> list[Claim]:
    """That ours is an order of magnitude more accurate, against each rival, at p-values down to 10^-10."""
    return [
        Claim(
            "7.4, abstract",
            f"error of ln p, {rival}, over ours, where least; {carriers} carriers",
            times(rows, rival, carriers, POWERS),
            bound,
            least=True,
            unit="times",
        )
        for carriers in CARRIERS
        for rival in [name for name in MECHANISMS if name not in OURS]
        for bound in ((1.0, 10.0) if rival == "chi-squared, restricted" else (10.0,))
    ]


def main() -> None:
    """Draw all of it, and the picture."""
    recorder = Recorder("genome_figure4", "Errors of ln p; drawn by the mechanisms that ship, nothing is timed.")
    quick = recorder.begin().quick
    powers, draws = ((-5,), 50) if quick else (POWERS, DRAWS)
    rows: list[dict[str, Json]] = [
        error(mechanism, carriers, power, draws)
        for carriers in CARRIERS
        for mechanism in MECHANISMS
        for power in powers
    ]
    if quick:
        recorder.end(settings={"people": PEOPLE}, rows=[*rows])
        return
    found = claims(rows)
    better = max(
        chosen(rows, OURS[1], carriers, power)["error"] / chosen(rows, OURS[0], carriers, power)["error"]
        for carriers in CARRIERS
        for power in POWERS
    )
    document = recorder.end(
        settings={"people": PEOPLE, "epsilon": str(EPSILON), "draws": DRAWS},
        rows=[*rows, *(claim.to_json() for claim in found)],
        limits=[
            *(
                Limit(claim.says, claim.found.mean, claim.bound, "times", least=True)
                for claim in found
                if not (claim.bound == 10 and "squared, restricted" in claim.says)
            ),
            Limit(
                "error of ln p by lattice noise over that as published, at its worst", round(better, 3), 0.9, "times"
            ),
        ],
    )
    draw(document)


if __name__ == "__main__":
    main()
