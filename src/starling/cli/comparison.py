"""Two releases compared with each other, as text and for machines. Reads released folders and public files alone."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.release.codec import Json
from starling.release.session import attributes
from starling.release.text import facts, table

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.tables.earlier.comparison import Comparison
    from starling.tables.earlier.releases import Earlier

SHOWN: Final = 20
"""How many numbers the text lists."""
ALONE: Final = (
    "level",
    "first_suppressed_in_second=first",
    "second_suppressed_in_first=second",
    "first_plan_alone=first_plan",
    "second_plan_alone=second_plan",
)
"""Groups in one release alone, as `attributes` gives them."""


def with_csv(compare: "Callable[..., Comparison]", path: Path) -> "Comparison":
    """Compare, and keep the rows as they come; without a comparison there is no file."""
    import pyarrow.csv as pacsv

    from starling.engine.new_folder import new_file
    from starling.release.cells import as_text

    with new_file(path) as part, ExitStack() as writing:
        writers: list[pacsv.CSVWriter] = []

        def keep(rows: "pa.Table") -> None:
            # The first rows, which are none, say what the columns are.
            if not writers:
                writers.append(writing.enter_context(pacsv.CSVWriter(part, rows.schema)))
            writers[0].write_table(as_text(rows))

        return compare(keep=keep)


def comparison_text(comparison: "Comparison") -> str:
    """The families, the numbers that differ most surely, and groups in one alone."""
    sure = f"{float(100 * comparison.confidence):g} %"
    pairs = [
        ("first", _release(comparison.first)),
        ("second", _release(comparison.second)),
        ("people", comparison.people),
    ]
    for family in comparison.families:
        limit = f", those with a p-value up to {family.limit:z.2g}" if family.significant else ""
        pairs.append((f"{family.number}s", f"{family.significant:,} of {family.tests:,} differ{limit}"))
    pairs.append(
        ("rule", f"Benjamini and Hochberg at {100 - float(100 * comparison.confidence):g} %, totals and cells apart")
    )
    parts = [facts(pairs)]
    if comparison.differences:
        header = ("number", "first", "second", "difference", "interval")
        rows = [
            (
                each.label,
                f"{each.first:,}",
                f"{each.second:,}",
                f"{each.difference:+,}",
                f"{each.lower:+,} to {each.upper:+,}",
            )
            for each in comparison.differences[:SHOWN]
        ]
        count = sum(family.significant for family in comparison.families)
        more = f"\nand {count - len(rows):,} more: --csv FILE has all" if count > len(rows) else ""
        parts.append(table(header, rows) + more)
    if comparison.only:
        names = ("suppressed in second", "suppressed in first", "not in second's plan", "not in first's plan")
        alone = [
            (each.level, *(f"{count:,}" for count in (each.first, each.second, each.first_plan, each.second_plan)))
            for each in comparison.only
        ]
        parts.append(f"Groups in one release alone\n\n{table(('level', *names), alone)}")
    parts.append(
        "Counts are the noisy measurements, before clamping. A number is listed where its interval does not hold 0; the intervals are\n"
        f"widened for how many are listed, so that of all of them together at least {sure} are expected to hold the true difference."
    )
    if any(side.plan.aggregates for side in (comparison.first, comparison.second)):
        parts.append("Sums, means and quantiles are not compared: each has an interval or a margin of its own, in t3.")
    return "\n\n".join(parts)


def _release(earlier: "Earlier") -> str:
    return f"{earlier.path}: {earlier.plan.title}, {earlier.plan.cost}"


def comparison_json(comparison: "Comparison") -> dict[str, Json]:
    """What `comparison_text` says, for programs, with as many numbers as the comparison keeps."""
    return {
        "first": _earlier_json(comparison.first),
        "second": _earlier_json(comparison.second),
        "people": comparison.people,
        "confidence": float(comparison.confidence),
        "rule": "Benjamini-Hochberg, totals and cells apart; intervals of Benjamini-Yekutieli",
        "families": [
            attributes(each, "number", "compared=tests", "differ=significant", "p_value_up_to=limit")
            for each in comparison.families
        ],
        "differ": [
            attributes(each, "number=label", "first", "second", "difference", "lower", "upper", "p_value")
            for each in comparison.differences
        ],
        "in_one_alone": [attributes(each, *ALONE) for each in comparison.only],
    }


def _earlier_json(earlier: "Earlier") -> dict[str, Any]:
    return {"release": str(earlier.path)} | attributes(
        earlier, "title=plan.title", "request_id", "population", "dataset"
    )
