"""Figure 3 of Johnson and Shmatikov 2013: how good the blocks of loc_block are, against the number of people; no time is measured.

A study of n people is drawn from the region's 405 (genome_blocks.py) with replacement, from a public seed; its truth is its own. One block:
the exact distribution of the mechanism in each study. Three blocks, one after the other: drawn. The picture
docs/pictures/genome-figure3.svg is made from the rows.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, get_args

import numpy as np

from bench.genome_blocks import BLOCKS, SNPS, Bool, Study, every_fourth, longest_apart, region, valid_blocks
from bench.peers import ROOT
from bench.pictures import make_plain
from bench.record import Limit, Recorder
from starling.genome.plan.queries import Selection
from starling.genome.scores.blocks import DELTA_M

PICTURE: Final = ROOT / "docs" / "pictures" / "genome-figure3.svg"
PEOPLE: Final = (500, 1_000, 1_500, 2_000, 2_500, 3_500, 5_000)
DELTAS: Final = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5))
EPSILON: Final = Fraction(1)
SELECTIONS: Final[tuple[Selection, ...]] = get_args(Selection)
STUDIES, DRAWS = 20, 50
"""Studies of each size, and answers of three blocks drawn in each: 1,000 answers, as in the paper."""
PICKS: Final = 200
"""Random choices of 250 variants, to say how much the choice matters."""
SEED: Final = 2013
QUANTILES: Final = (0.5, 0.05, 0.01)
BLUE, ORANGE, GREY, INK = "#1b4f82", "#c7691c", "#999999", "#1b2733"


def studies(held: Bool, people: int, delta_c: Fraction, number: int) -> Iterator[Study]:
    """So many studies of n people drawn from the region's, with replacement."""
    for which in range(number):
        yield Study(held[np.random.default_rng((SEED, people, which)).integers(0, len(held), people)], delta_c)


def interval(found: list[float]) -> dict[str, float]:
    """The mean over studies and its 95 % interval by their spread."""
    mean = float(np.mean(found))
    margin = 1.96 * float(np.std(found, ddof=1)) / math.sqrt(len(found))
    return {"mean": round(mean, 3), "low": round(max(0.0, mean - margin), 3), "high": round(min(1.0, mean + margin), 3)}


def measured(held: Bool, delta_c: Fraction, people: int, number: int, draws: int) -> Iterator[dict[str, Any]]:
    """One size of study: a row for each selection."""
    here = list(studies(held, people, delta_c, number))
    for selection in SELECTIONS:
        parts = []
        for which, study in enumerate(here):
            numbers = np.random.default_rng((SEED, people, which, draws))
            parts.append([study.draw(numbers, EPSILON / BLOCKS, selection) for _ in range(draws)])
        drawn = np.array(parts)
        yield {
            "delta_c": str(delta_c),
            "people": people,
            "selection": selection,
            "one_block": interval([study.one_best(EPSILON, selection) for study in here]),
            "first_of_three": interval([study.one_best(EPSILON / BLOCKS, selection) for study in here]),
            "three_blocks": interval((drawn >= 1).mean(axis=1).tolist()),
            "nearly_all": interval((drawn >= 0.95).mean(axis=1).tolist()),
            "half": interval((drawn >= 0.5).mean(axis=1).tolist()),
            "values": {str(1 - q): round(float(np.quantile(drawn, q, method="lower")), 3) for q in QUANTILES},
        }


def covered(held: Bool, delta_c: Fraction) -> float:
    """The part of the SNPs in the three longest blocks that lie apart."""
    number = sum(end - k + 1 for k, end in longest_apart(valid_blocks(held, delta_c)))
    return round(float(number / held.shape[1]), 3)


def coverage(whole: Bool, delta_c: Fraction, picks: int) -> dict[str, Any]:
    """What three blocks cover, here and where the 250 variants are chosen at random."""
    numbers = np.random.default_rng(SEED)
    others = [
        covered(whole[:, np.sort(numbers.choice(whole.shape[1], SNPS, replace=False))], delta_c) for _ in range(picks)
    ]
    return {
        "delta_c": str(delta_c),
        "covered": covered(every_fourth(whole), delta_c),
        "picks": {
            "median": round(float(np.median(others)), 3),
            "min": min(others),
            "max": max(others),
            "over_half": round(float(np.mean(np.array(others) > 0.5)), 3),
        },
    }


def limits(rows: list[dict[str, Any]]) -> list[Limit]:
    """What the paper says of its figure, for the threshold at which three blocks cover most, and the mechanism as published."""
    here = {
        row["people"]: row for row in rows if row.get("selection") == "exponential" and row["delta_c"] == str(DELTAS[0])
    }
    claims = (
        ("one block is the best, epsilon 1", 1_000, "one_block", 0.5),
        ("three blocks have the largest value, epsilon 3 x 1/3", 5_000, "three_blocks", 0.5),
        ("three blocks have half of the largest value, epsilon 3 x 1/3", 2_500, "half", 0.99),
    )
    return [
        Limit(f"{what}: probability at {people:,} people", here[people][key]["mean"], bound, "", least=True)
        for what, people, key, bound in claims
        if people in here
    ]


def picture(rows: list[dict[str, Any]]) -> str:
    """Above: probability of the best answer. Below: the value that three blocks reach with a given probability."""
    from matplotlib.figure import Figure

    from bench.drawing import svg

    figure = Figure(figsize=(10.4, 5.6))
    grid = figure.subplots(2, len(DELTAS), sharex=True, sharey="row")
    for column, delta_c in enumerate(DELTAS):
        above, below = grid[0][column], grid[1][column]
        above.set_title(f"correlation above {float(delta_c):g}", fontsize=10)
        for selection, style in (("exponential", "-"), ("permute-and-flip", "--")):
            here = [row for row in rows if row.get("selection") == selection and row["delta_c"] == str(delta_c)]
            people = [row["people"] for row in here]
            plain = selection == "exponential"
            for key, colour, what in (
                ("one_block", GREY, "one block, ε = 1"),
                ("first_of_three", BLUE, "one block, ε = ⅓"),
                ("three_blocks", ORANGE, "three blocks, ε = 3 × ⅓"),
            ):
                mean = [row[key]["mean"] for row in here]
                above.plot(people, mean, style, color=colour, label=what if plain else None)
                if plain:
                    ends = [[row[key][end] for row in here] for end in ("low", "high")]
                    above.fill_between(people, *ends, color=colour, alpha=0.15, linewidth=0)
            for chance, colour in (("0.5", BLUE), ("0.95", ORANGE), ("0.99", GREY)):
                reached = [row["values"][chance] for row in here]
                below.plot(people, reached, style, color=colour, label=f"{float(chance):.0%}" if plain else None)
        above.plot([1_000, 5_000], [0.5, 0.5], "^", color=INK, markersize=5, label="the paper: above")
        below.plot([2_500], [0.5], "^", color=INK, markersize=5, label="the paper: 99 % above")
        below.set_xlabel("people", fontsize=8.5)
        below.set_ylim(-0.4, 1.05)
        for axes in (above, below):
            make_plain(axes)
    grid[0][0].set_ylabel("P(the best answer)", fontsize=8.5)
    grid[1][0].set_ylabel("value of three blocks reached with\nprobability …, as a part of the largest", fontsize=8.5)
    for axes in grid[:, -1]:
        axes.plot([], [], "--", color=GREY, label="permute-and-flip")
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.subplots_adjust(left=0.08, right=0.83, hspace=0.12, wspace=0.08)
    return svg(figure, "genome-figure3") + f"<!-- {numbers(rows)} -->\n"


def numbers(rows: list[dict[str, Any]]) -> str:
    """A digest of what the picture shows."""
    shown = [row for row in rows if "selection" in row]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def main() -> None:
    """Compute all of it, and draw the picture."""
    recorder = Recorder("genome_figure3", "Figure 3: the blocks of loc_block; nothing is timed.")
    quick = recorder.begin().quick
    whole = region()
    held = every_fourth(whole)
    sizes, number, draws, picks = ((1_000,), 2, 3, 2) if quick else (PEOPLE, STUDIES, DRAWS, PICKS)
    rows = [coverage(whole, delta_c, picks) for delta_c in DELTAS]
    for delta_c in DELTAS:
        for people in sizes:
            rows.extend(measured(held, delta_c, people, number, draws))
    recorder.end(
        settings={
            "snps": SNPS,
            "variants": whole.shape[1],
            "people_of_the_region": len(held),
            "epsilon": str(EPSILON),
            "blocks": BLOCKS,
            "studies": number,
            "draws": draws,
            "picks": picks,
            "delta_m": str(DELTA_M),
        },
        rows=list(rows),
        limits=limits(rows),
    )
    if not quick:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
