"""The stage-1 total used again: how much it gains, and what the choice of the branch does to it near a threshold. No time is measured.

The gain in variance is that of the exact law of the published total, rounding included, and beside it that of drawn noise. Near a
threshold, bias and coverage are computed from the exact law given the branch, by the true size of the group, for the published margin over
all groups and for the intervals given what is published. The picture docs/pictures/thresholds.svg is drawn from the rows.
"""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from bench.measure import Json
from bench.peers import ROOT
from bench.pictures import make_plain
from bench.record import Limit, Recorder
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.sampling.noise import draw
from starling.tables.inference.combined import corrections
from starling.tables.inference.distribution import Chosen, TotalDistribution, ends
from starling.tables.plan.combined_stages import stage1_weight
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import StageNoise, noise_of_stages

PICTURE: Final = ROOT / "docs" / "pictures" / "thresholds.svg"
GAMMA: Final = Fraction(1, 10)
ALPHA: Final = Fraction(1, 20)
THRESHOLD: Final = 50_000
NOISES: Final = {
    "discrete Gaussian": noise_of_stages("rho", Fraction(1, 180), GAMMA),
    "geometric": noise_of_stages("epsilon", Fraction(157, 1000), GAMMA),
}
"""Of a group that spends so much: a cell errs by 10 persons, a little less and more."""
FACTORS: Final = {"discrete Gaussian": (None, 1.9, 3.0, 6.1), "geometric": (None, 1.10, 1.22, 1.57)}
"""What the specification expects, by branch."""
NAMES: Final = ("bare total", "sex by 4 ages", "sex by 9 ages", "sex by 23 ages")
BLUE, ORANGE, GREY = "#1b4f82", "#c7691c", "#777777"


@dataclass(frozen=True, slots=True)
class Conditional:
    """A total of a group of known true size, given its branch and that it is published.

    Attributes:
        chance: Probability of that.
        bias: Mean of the total minus the true size, in persons.
        deviation: Standard deviation of the total.
        covered: Probability that the true size is within the plain margin of the total.
    """

    chance: float
    bias: float
    deviation: float
    covered: float


def conditional(law: TotalDistribution, persons: int, chosen: Chosen, alpha: Fraction) -> Conditional:
    """The total of a group of `persons`, given what was published of it; nan where that has no chance."""
    errors = np.arange(-law.reach, law.reach + 1, dtype=np.float64)
    tails = np.array([law.chances(persons, chosen, m)[0] for m in range(-law.reach, law.reach + 2)])
    chance = law.chances(persons, chosen, 0)[1]
    masses = -np.diff(tails) / (chance or np.nan)
    bias = float(masses @ errors)
    deviation = float(np.sqrt(masses @ (errors - bias) ** 2))
    return Conditional(chance, bias, deviation, float(masses[np.abs(errors) <= law.margin(alpha)].sum()))


def total_distribution(stage_noise: StageNoise, branch: int, *, reused: bool = True) -> TotalDistribution:
    """The law of the total of a branch."""
    size = SEX_BY_AGE.sizes[branch]
    return TotalDistribution(
        stage_noise.stage1, stage_noise.stage2, size, stage1_weight(stage_noise, size) if reused else Fraction(0)
    )


def gain(noise: str, branch: int, draws: int) -> dict[str, Json]:
    """How much less the variance of a published total is."""
    stage_noise, size = NOISES[noise], SEX_BY_AGE.sizes[branch]
    plain, better = (total_distribution(stage_noise, branch, reused=reused) for reused in (False, True))
    before, after = (conditional(law, 0, Chosen(), ALPHA).deviation ** 2 for law in (plain, better))
    first, second = draw(stage_noise.stage1, draws), draw(stage_noise.stage2, (draws, size)).sum(axis=1)
    published = second + corrections(first, second, better.weight)
    return {
        "noise": noise,
        "branch": NAMES[branch],
        "weight": str(better.weight),
        "factor": float(f"{before / after:.4g}"),
        "drawn": float(f"{(second**2).mean() / (published**2).mean():.3g}"),
        "margin_before": plain.margin(ALPHA),
        "margin_after": better.margin(ALPHA),
    }


def near(noise: str, branch: int, side: str, distance: float) -> dict[str, Json]:
    """A group whose true size is `distance` standard deviations of stage 1 above a threshold, on one side of it after the noise."""
    stage_noise = NOISES[noise]
    law = total_distribution(stage_noise, branch)
    persons = THRESHOLD + round(distance * standard_deviation(stage_noise.stage1))
    chosen = Chosen(low=THRESHOLD) if side == "above" else Chosen(high=THRESHOLD)
    found = conditional(law, persons, chosen, ALPHA)
    return {
        "noise": noise,
        "branch": NAMES[branch],
        "side": side,
        "distance": distance,
        "chance": float(f"{found.chance:.4g}"),
        "bias": float(f"{found.bias:.4g}"),
        "bias_over_deviation": float(f"{found.bias / conditional(law, 0, Chosen(), ALPHA).deviation:.4g}"),
        "covered": float(f"{found.covered:.4f}"),
        "covered_given": float(f"{law.covered(persons, chosen, ends(law, chosen, ALPHA)):.4f}"),
    }


def dropped(noise: str, persons: int) -> dict[str, Json]:
    """A bare total below the state, kept when its noise is above the quantile of 99.99 %, without reuse."""
    from starling.privacy.distributions.accuracy import quantile

    stage_noise = NOISES[noise]
    law = total_distribution(stage_noise, 0, reused=False)
    bar = quantile(stage_noise.stage2, "0.9999")
    chosen = Chosen(bar=bar)
    found = conditional(law, persons, chosen, ALPHA)
    return {
        "noise": noise,
        "persons": persons,
        "bar": bar,
        "chance": float(f"{found.chance:.4g}"),
        "bias": float(f"{found.bias:.4g}"),
        "covered": float(f"{found.covered:.4f}"),
        "covered_given": float(f"{law.covered(persons, chosen, ends(law, chosen, ALPHA)):.4f}"),
    }


def picture(rows: list[dict[str, Any]]) -> str:
    """Bias and coverage by distance from the threshold, and coverage of bare totals by true size."""
    from matplotlib.figure import Figure

    from bench.drawing import svg

    figure = Figure(figsize=(8.4, 8.2))
    grid = figure.subplots(3, 2, sharey="row")
    for column, noise in enumerate(NOISES):
        here = [row for row in rows if row.get("noise") == noise]
        bias, covered, bare = (grid[row][column] for row in range(3))
        bias.set_title(noise, fontsize=10)
        for side, colour in (("above", BLUE), ("below", ORANGE)):
            line = [
                row for row in here if row.get("side") == side and row["branch"] == NAMES[3 if side == "above" else 2]
            ]
            words = f"{line[0]['branch']}, first total {'at or above' if side == 'above' else 'below'}"
            likely = [row for row in line if row["chance"] >= 0.01]
            for shown, alpha in ((line, 0.3), (likely, 1.0)):
                x = [row["distance"] for row in shown]
                style = {"color": colour, "alpha": alpha, "label": words if shown is likely else None}
                bias.plot(x, [row["bias_over_deviation"] for row in shown], **style)
                style["label"] = None
                covered.plot(x, [100 * row["covered"] for row in shown], linestyle=":", **style)
                covered.plot(x, [100 * row["covered_given"] for row in shown], **style)
        persons = [row for row in here if "persons" in row]
        size = [row["persons"] for row in persons]
        bare.plot(size, [100 * row["covered"] for row in persons], color=GREY, linestyle=":")
        bare.plot(size, [100 * row["covered_given"] for row in persons], color=GREY)
        bias.set_xlabel("true size − threshold, deviations of the first total", fontsize=8)
        covered.set_xlabel("the same", fontsize=8)
        bare.set_xlabel("true size of a bare total below the state, persons", fontsize=8)
        for axes in (covered, bare):
            axes.axhline(95, color="#bbbbbb", linewidth=0.8)
            axes.set_ylim(0, 102)
        bias.axhline(0, color="#bbbbbb", linewidth=0.8)
    for row, words in enumerate(
        ("mean error / standard deviation", "intervals that hold, %", "intervals that hold, %")
    ):
        grid[row][0].set_ylabel(words, fontsize=8.5)
    grid[0][0].legend(fontsize=7, frameon=False, loc="upper right")
    grid[1][0].plot([], [], color=GREY, linestyle=":", label="over all groups")
    grid[1][0].plot([], [], color=GREY, label="given what is published")
    grid[1][0].legend(fontsize=7, frameon=False, loc="lower right")
    for axes in grid.flat:
        make_plain(axes)
    figure.subplots_adjust(hspace=0.45, wspace=0.1)
    return svg(figure, "thresholds") + f"<!-- {numbers(rows)} -->\n"


def numbers(rows: list[dict[str, Any]]) -> str:
    """A digest of what the picture shows."""
    shown = [row for row in rows if "covered" in row]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def draw_again(result: dict[str, Any]) -> None:
    """The picture of a result."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(result["rows"]), encoding="utf-8")


def main() -> None:
    """Compute all of it, and draw the picture."""
    recorder = Recorder("thresholds", "Gain and price of using the stage-1 total again; exact, nothing is timed.")
    quick = recorder.begin().quick
    gains = [gain(noise, branch, 1000 if quick else 1_000_000) for noise in NOISES for branch in range(4)]
    step = 2.0 if quick else 0.25
    distances = np.arange(-3, 3 + step, step).tolist()
    rows = [
        near(noise, branch, side, distance)
        for noise in NOISES
        for branch, side in ((3, "above"), (2, "below"))
        for distance in distances
    ]
    bare = [dropped(noise, persons) for noise in NOISES for persons in range(0, 121, 60 if quick else 4)]
    limits = [
        Limit(
            f"variance of a published total, times less: {row['noise']}, {row['branch']}",
            float(str(row["factor"])),
            round(0.985 * factor, 3),
            "times",
            least=True,
        )
        for noise, factors in FACTORS.items()
        for row, factor in zip([each for each in gains if each["noise"] == noise], factors, strict=True)
        if factor is not None
    ]
    least = min(float(str(row["covered_given"])) for row in (*rows, *bare))
    limits.append(
        Limit("intervals given what is published: coverage where it is least", least, 0.95, "of all", least=True)
    )
    document = recorder.end(
        settings={"gamma": str(GAMMA), "threshold": THRESHOLD, "confidence": 0.95, "suppression": 0.9999},
        rows=[*gains, *rows, *bare],
        limits=limits,
    )
    if not quick:
        draw_again(document)


if __name__ == "__main__":
    main()
