"""Whether a genome was in a study: from exact shares and p-values, and from releases of many budgets beside the most that any attacker can.

Real people: 503 Europeans of the 1000 Genomes, 24,990 SNPs, dealt anew for every game. The picture docs/pictures/homer.svg is drawn from
the rows. Nothing is timed.
"""

import hashlib
import json
import os
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.attacks.membership import Bool, ExactPValues, ExactShares, Explored, NoisyTables, Outcome, Published, attack
from bench.measure import Json
from bench.peers import ROOT
from bench.pictures import make_plain
from bench.record import Limit, Recorder
from starling.audit.falsifier import lower_bound
from starling.genome.source.calls import bytes_a_snp
from starling.genome.source.counting import carrier_bits

PICTURE: Final = ROOT / "docs" / "pictures" / "homer.svg"
PREFIX: Final = Path("genome") / "chr20_1kg_eur" / "chr20_eur503"
BUDGETS: Final = ("0.1", "0.3", "1", "3", "10")
FALSE_ALARM: Final = 1e-6
CONFIDENCE: Final = 0.95


def published(quick: bool) -> list[tuple[str, Published, int]]:
    """What studies publish, in words, and in how many games."""
    games, some, few = (20, 5, 5) if quick else (2000, 300, 100)
    rows: list[tuple[str, Published, int]] = [
        ("exact share of each SNP", ExactShares(), some),
        ("exact p-value of each SNP", ExactPValues(), some),
    ]
    for budget in BUDGETS:
        rows.append(("one table", NoisyTables(Fraction(budget)), games))
        rows.append(("ten tables", NoisyTables(Fraction(budget), 10), games))
    rows.append(("one table, Laplace noise", NoisyTables(Fraction(1), noise="laplace"), games))
    rows.extend(("explore", Explored(Fraction(budget)), few) for budget in ("1", "10"))
    return rows


def carried(data: Path) -> Bool:
    """Who carries the first allele of which SNP, bool (people, snps)."""
    people = len(data.with_suffix(".fam").read_text().splitlines())
    calls = np.fromfile(data.with_suffix(".bed"), dtype=np.uint8, offset=3).reshape(-1, bytes_a_snp(people))
    bits = carrier_bits(calls, people, "dominant", "a1").view(np.uint8)
    return np.ascontiguousarray(np.unpackbits(bits, axis=1, count=people, bitorder="little").T).astype(np.bool_)


def row_of(words: str, found: Outcome) -> dict[str, Json]:
    """A row, with an exact interval of the attacker's chance."""
    level = (1 - CONFIDENCE) / 2
    return {
        "published": words,
        "epsilon": None if found.epsilon is None else float(found.epsilon),
        "games": found.games,
        "right": found.right / found.games,
        "low": float(f"{lower_bound(found.right, found.games, level):.4f}"),
        "high": float(f"{1 - lower_bound(found.games - found.right, found.games, level):.4f}"),
        "bound": float(f"{found.bound:.6f}"),
    }


def picture(rows: list[dict[str, Any]]) -> str:
    """The attacker's chance by epsilon, below the bound."""
    from matplotlib.figure import Figure

    from bench.drawing import BLUE, GREY, INK, RED, svg

    figure = Figure(figsize=(6.4, 3.8))
    axes = figure.subplots()
    epsilon = np.geomspace(0.07, 14, 200)
    axes.plot(epsilon, 100 / (1 + np.exp(-epsilon)), color=INK, label="the most that any attacker can")
    axes.axhline(50, color=GREY, linewidth=0.8, linestyle=":")
    exact = min(row["right"] for row in rows if row["epsilon"] is None)
    axes.axhline(100 * exact, color=RED, linewidth=1.2, label="exact shares or p-values of all SNPs")
    for words, colour, marker in (("one table", BLUE, "o"), ("ten tables", BLUE, "s"), ("explore", GREY, "D")):
        here = [row for row in rows if row["published"] == words]
        right = np.array([100 * row["right"] for row in here])
        ends = np.array([[100 * row["low"] for row in here], [100 * row["high"] for row in here]])
        axes.errorbar(
            [row["epsilon"] for row in here],
            right,
            yerr=np.abs(ends - right),
            color=colour,
            marker=marker,
            markerfacecolor=colour if marker == "o" else "white",
            markersize=5,
            linewidth=0,
            elinewidth=1,
            label={"explore": "explore", "one table": "the best table to ask for", "ten tables": "the ten best"}[words],
        )
    axes.set_xscale("log")
    axes.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    axes.minorticks_off()
    axes.set_ylim(39, 102)
    axes.set_xlabel("epsilon of the study", fontsize=9)
    axes.set_ylabel("right about who took part, %", fontsize=9)
    axes.legend(fontsize=7.5, frameon=False, loc="upper left", bbox_to_anchor=(0.0, 0.95))
    make_plain(axes)
    return svg(figure, "homer") + f"<!-- {numbers(rows)} -->\n"


def numbers(rows: list[dict[str, Any]]) -> str:
    """A digest of what the picture shows."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()


def draw_again(result: dict[str, Any]) -> None:
    """The picture of a result."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(result["rows"]), encoding="utf-8")


def main() -> None:
    """Attack what each way of publishing gives, write the result, and draw the picture."""
    recorder = Recorder("homer", "Whether a genome was in a study, from exact statistics and from releases.")
    quick = recorder.begin().quick
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / PREFIX
    if not data.with_suffix(".bed").is_file():
        sys.exit(f"no genotypes: set STARLING_DATA to the folder that holds {PREFIX}.bed")
    people = carried(data)
    results: list[tuple[str, Outcome]] = []
    for words, way, games in published(quick):
        results.append((words, attack(people, way, games=games)))
        print(words, results[-1][1].epsilon, results[-1][1].right, "of", games, flush=True)
    released = [found for _, found in results if found.epsilon is not None]
    level = FALSE_ALARM / len(released)
    above = max(lower_bound(found.right, found.games, level) - found.bound for found in released)
    exact = min(found.right / found.games for _, found in results if found.epsilon is None)
    document = recorder.end(
        settings={"people": people.shape[0], "snps": people.shape[1], "confidence": CONFIDENCE},
        rows=[row_of(*result) for result in results],
        limits=[
            Limit("members told from outsiders by exact shares or p-values, of all", exact, 0.99, "of all", least=True),
            Limit("attack on genome releases, surely above its bound at the worst", float(f"{above:.3g}"), 0, "of all"),
        ],
    )
    if not quick:
        draw_again(document)


if __name__ == "__main__":
    main()
