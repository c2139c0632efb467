"""Two releases compared, as text, for machines, and as CSV."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import OutputError
from starling.release.text import facts, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from starling.release.statement import Json
    from starling.tables.earlier.comparison import Comparison
    from starling.tables.earlier.releases import Earlier

SHOWN: Final = 20
"""Numbers that the text lists."""


def with_csv(compare: "Callable[..., Comparison]", path: Path) -> "Comparison":
    """Compare, and keep the rows as they come; without a comparison there is no file."""
    import pyarrow.csv as pacsv

    from starling.release.cells import as_text
    from starling.tables.earlier.comparison import SCHEMA

    try:
        file = path.open("xb")
    except OSError as error:
        problem = "exists" if isinstance(error, FileExistsError) else f"cannot be written ({error.strerror})"
        raise OutputError(
            field=str(path), problem=problem, fix="name a new file in a place that you may write"
        ) from None
    try:
        with file, pacsv.CSVWriter(file, SCHEMA) as writer:
            return compare(keep=lambda rows: writer.write_table(as_text(rows)))
    except BaseException:
        path.unlink()
        raise


def comparison_text(found: "Comparison") -> str:
    """The families, the numbers that differ most surely, and groups in one alone."""
    sure = f"{float(100 * found.confidence):g} %"
    pairs = [("first", _release(found.first)), ("second", _release(found.second)), ("people", found.people)]
    for family in found.families:
        limit = f", those with a p-value up to {family.limit:.2g}" if family.significant else ""
        pairs.append((f"{family.number}s", f"{family.significant:,} of {family.tests:,} differ{limit}"))
    pairs.append(
        ("rule", f"Benjamini and Hochberg at {100 - float(100 * found.confidence):g} %, totals and cells apart")
    )
    parts = [facts(pairs)]
    if found.differences:
        header = ("number", "first", "second", "difference", "interval")
        rows = [
            (
                each.label,
                f"{each.first:,}",
                f"{each.second:,}",
                f"{each.difference:+,}",
                f"{each.lower:+,} to {each.upper:+,}",
            )
            for each in found.differences[:SHOWN]
        ]
        count = sum(family.significant for family in found.families)
        more = f"\nand {count - len(rows):,} more: --csv FILE has all" if count > len(rows) else ""
        parts.append(table(header, rows) + more)
    if found.only:
        names = ("suppressed in second", "suppressed in first", "not in second's plan", "not in first's plan")
        alone = [
            (each.level, *(f"{count:,}" for count in (each.first, each.second, each.first_plan, each.second_plan)))
            for each in found.only
        ]
        parts.append(f"Groups in one release alone\n\n{table(('level', *names), alone)}")
    parts.append(
        "Counts are the noisy measurements, before clamping. A number is listed where its interval does not hold 0; the intervals are\n"
        f"widened for how many are listed, so that of all of them together at least {sure} are expected to hold the true difference."
    )
    return "\n\n".join(parts)


def _release(earlier: "Earlier") -> str:
    return f"{earlier.path}: {earlier.plan.title}, {earlier.plan.cost}"


def comparison_json(found: "Comparison") -> "dict[str, Json]":
    """The same, with as many numbers as the comparison keeps."""
    return {
        "first": _earlier_json(found.first),
        "second": _earlier_json(found.second),
        "people": found.people,
        "confidence": float(found.confidence),
        "rule": "Benjamini-Hochberg, totals and cells apart; intervals of Benjamini-Yekutieli",
        "families": [
            {"number": each.number, "compared": each.tests, "differ": each.significant, "p_value_up_to": each.limit}
            for each in found.families
        ],
        "differ": [
            {
                "number": each.label,
                "first": each.first,
                "second": each.second,
                "difference": each.difference,
                "lower": each.lower,
                "upper": each.upper,
                "p_value": each.p_value,
            }
            for each in found.differences
        ],
        "in_one_alone": [
            {
                "level": each.level,
                "first_suppressed_in_second": each.first,
                "second_suppressed_in_first": each.second,
                "first_plan_alone": each.first_plan,
                "second_plan_alone": each.second_plan,
            }
            for each in found.only
        ],
    }


def _earlier_json(earlier: "Earlier") -> dict[str, Any]:
    return {
        "release": str(earlier.path),
        "title": earlier.plan.title,
        "request_id": earlier.request_id,
        "population": earlier.population,
        "dataset": earlier.dataset,
    }
