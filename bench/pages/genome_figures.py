"""Tables of bench/results/genome-figures.md: what the genome paper's figures show, measured again."""

from collections.abc import Callable, Iterable, Mapping
from math import log
from typing import Any, Final

from bench.estimate import Claim, Estimate
from bench.markdown import number, table
from bench.pages.origin import Results

Row = Mapping[str, Any]

WITH_CLAIMS: Final = ("genome_figure1", "genome_figure2", "genome_figure4")
SOURCES: Final = (*WITH_CLAIMS, "genome_figure3")
BLOCK_CLAIMS: Final = (
    ("7.3", 1_000, "one_block", 0.5, "P(one block is the best), n = 1,000, ε = 1"),
    ("7.3", 1_000, "first_of_three", 0.5, "the same, ε = ⅓"),
    ("7.3", 5_000, "three_blocks", 0.5, "P(three blocks have the largest value), n = 5,000"),
    ("7.3", 2_500, "half", 0.99, "P(three blocks have half of it), n = 2,500"),
    ("abstract", 5_000, "nearly_all", 0.95, "P(three blocks are within 5 %), n = 5,000"),
)
"""Of Figure 3, where r² above .05 makes two SNPs correlated."""


def claims(results: Mapping[str, Results]) -> str:
    """Sentences of the paper as numbers."""

    def row(found: Row) -> list[str]:
        figures = [_figure(found[f"measured{end}"], found["unit"]) for end in ("", "_low", "_high")]
        sign = "≥" if found["kind"] == "least" else "≤"
        bound = f"{sign} {_figure(found['bound'], found['unit'])}"
        verdict = found["verdict"] if found["verdict"] == "reproduced" else f"**{found['verdict']}**"
        return [found["claim"], found["where"], bound, figures[0], f"{figures[1]} to {figures[2]}", verdict]

    found = [each for name in WITH_CLAIMS for each in results[name]["rows"] if "claim" in each]
    found += [claim.to_json() for claim in _of_blocks(results["genome_figure3"])]
    found.sort(key=lambda each: (each["where"] == "abstract", each["where"]))
    head = ["claim", "stands in", "says", "measured", "interval of 95 %", ""]
    return f"{table(head, map(row, found))}\n\n{_origins(results, SOURCES)}"


def _of_blocks(result: Results) -> Iterable[Claim]:
    """What is said of blocks, as published."""
    rows = [row for row in result["rows"] if row.get("selection") == "exponential" and row["delta_c"] == "1/20"]
    for where, people, name, bound, says in BLOCK_CLAIMS:
        (found,) = (row[name] for row in rows if row["people"] == people)
        measured = Estimate(found["mean"], found["low"], found["high"], result["settings"]["studies"])
        yield Claim(where, says, measured, bound, least=True)


def figure1(results: Mapping[str, Results]) -> str:
    """num_sig by patients and epsilon."""
    found = _numbers(results, snps=100_000, least_frequency=0.05, k=1)
    rows = (
        [
            f"{row['people']:,}",
            f"{row['epsilon']:g}",
            _chance(row, "right"),
            f"{better['right']:.3f}",
            number(row["wrong"]),
            number(row["beyond_128"]),
            f"{row['upper_95']:,}",
            f"{row['upper_99']:,}",
        ]
        for row, better in found
    )
    head = ["patients", "ε", "right, as published", "by permute-and-flip", "wrong", "beyond 128", "95 % end by", "99 %"]
    return f"{table(head, rows)}\n\n{_origins(results, ['genome_figure1'])}"


def figure1_trade(results: Mapping[str, Results]) -> str:
    """num_sig at equal products of patients and epsilon."""
    by = {(row["people"], row["epsilon"]): row for row, _ in _numbers(results, snps=100_000, least_frequency=0.05, k=1)}
    pairs = [((1_500, 1.0), (7_500, 0.2)), ((2_000, 1.0), (10_000, 0.2)), ((3_000, 1.0), (5_000, 0.6))]
    rows = (
        [
            f"{people * epsilon:,.0f}",
            f"{people:,}",
            f"{epsilon:g}",
            _chance(by[people, epsilon], "right"),
            number(by[people, epsilon]["wrong"]),
        ]
        for pair in pairs
        for people, epsilon in pair
    )
    return table(["patients times ε", "patients", "ε", "right, as published", "wrong"], rows)


def figure1_other(results: Mapping[str, Results]) -> str:
    """num_sig where the setting is not the paper's, at epsilon 1."""
    rows = (
        [
            f"{row['snps']:,}",
            f"{row['least_frequency']:g}",
            f"{row['k']}",
            f"{row['people']:,}",
            _chance(row, "right"),
            _chance(better, "right"),
            number(row["beyond_128"]),
        ]
        for row, better in _numbers(results, epsilon=1.0)
        if row["people"] in (1_138, 3_000)
    )
    head = ["SNPs", "frequencies from", "k", "patients", "right, as published", "by permute-and-flip", "beyond 128"]
    return f"{table(head, rows)}\n\n{_origins(results, ['genome_figure1'])}"


def figure1_second(results: Mapping[str, Results]) -> str:
    """num_sig by the strength of the second significant SNP."""
    rows = (
        [
            f"{row['second_p']:.3g}",
            f"{row['second_score'] + 1}",
            f"{row['right_exponential']:.3f}",
            f"{row['right_permute-and-flip']:.3f}",
        ]
        for row in results["genome_figure1"]["rows"]
        if "second_p" in row
    )
    head = ["p of the second SNP", "patients from not significant", "right, as published", "by permute-and-flip"]
    return f"{table(head, rows)}\n\n{_origins(results, ['genome_figure1'])}"


def figure2(results: Mapping[str, Results]) -> str:
    """loc_sig and rivals by patients: chances that nothing is lost, then what is."""
    lines: dict[str, dict[str, Row]] = {}
    for row in (row for row in results["genome_figure2"]["rows"] if "mechanism" in row):
        words = f"{row['people']:,}{'' if row['frequencies'] == 'all' else ', no rare SNPs'}"
        lines.setdefault(words, {})[row["mechanism"]] = row
    names = list(next(iter(lines.values())))
    with_losses = [name for name in names if "loss_50" in next(iter(lines.values()))[name]]
    nothing = table(
        ["P(nothing lost), patients", *names],
        ([words, *(_chance(line[name], "no_loss") for name in names)] for words, line in lines.items()),
    )
    losses = table(
        ["loss of 50, 95 and 99 % at most, patients", *with_losses],
        (
            [
                words,
                *(
                    ", ".join(f"{100 * line[name][f'loss_{share}']:.0f}" for share in (50, 95, 99))
                    for name in with_losses
                ),
            ]
            for words, line in lines.items()
        ),
    )
    return f"{nothing}\n\n{losses}\n\nLosses in percent. {_origins(results, ['genome_figure2'])}"


def figure4(results: Mapping[str, Results]) -> str:
    """Errors of ln p by exact p-value."""
    found = [row for row in results["genome_figure4"]["rows"] if "mechanism" in row]
    names = list(dict.fromkeys(row["mechanism"] for row in found))
    lines: dict[tuple[int, float], dict[str, Row]] = {}
    for row in found:
        lines.setdefault((row["carriers"], row["log10_p"]), {})[row["mechanism"]] = row
    rows = (
        [
            f"{carriers}",
            f"{log10_p:.2f}",
            *(f"{number(line[name]['error'])} ({number(line[name]['median'])})" for name in names),
            number(-log(10) * log10_p),
        ]
        for (carriers, log10_p), line in lines.items()
    )
    return f"{table(['carriers', 'log₁₀ p', *names, 'always p = 1'], rows)}\n\n{_origins(results, ['genome_figure4'])}"


def _numbers(results: Mapping[str, Results], **wanted: float) -> Iterable[tuple[Row, Row]]:
    """Rows of num_sig: as published, and by permute-and-flip."""
    found = [row for row in results["genome_figure1"]["rows"] if "right" in row and wanted.items() <= row.items()]
    published = [row for row in found if row["selection"] == "exponential"]
    better = [row for row in found if row["selection"] == "permute-and-flip"]
    return zip(published, better, strict=True)


def _chance(row: Row, name: str) -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def _figure(value: float, unit: str) -> str:
    return f"{number(value)} {unit}".strip() if unit else f"{value:.4g}"


def _origins(results: Mapping[str, Results], names: Iterable[str]) -> str:
    """Where figures come from that were neither timed nor left to the machine."""
    said = ", ".join(
        f"`{results[name]['command']}`, {results[name]['date']}, source {results[name]['source']}" for name in names
    )
    return f"*{said}; nothing is timed.*"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "genome_claims": claims,
    "genome_figure1": figure1,
    "genome_figure1_trade": figure1_trade,
    "genome_figure1_other": figure1_other,
    "genome_figure1_second": figure1_second,
    "genome_figure2": figure2,
    "genome_figure4": figure4,
}
