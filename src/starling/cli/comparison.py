"""Releases compared, as text and for machines: a plan with earlier releases, two with each other, one with the truth.

All but the last read released folders and public files alone; errors against the truth are for the custodian's eyes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import OutputError
from starling.release.text import facts, rounded, table
from starling.tables.plan import labels

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.earlier.comparison import Comparison
    from starling.tables.earlier.differencing import Difference, Differencing
    from starling.tables.earlier.releases import Earlier, JointCost
    from starling.tables.evaluate import Errors, Evaluation

SHOWN: Final = 20
"""How many numbers, or differences of one release, the text lists."""
MEANS: Final = (
    "Whoever has both releases can subtract one group from the other: what is left tells of the persons in the difference, with the noise\n"
    "of both. They are protected by what all releases cost together, never by the cost of one alone."
)


def earlier_text(found: "JointCost") -> str:
    """Each release with what is measured again, the differences, and the cost of all."""
    from starling.privacy.budget import decimal_up
    from starling.privacy.neighbours import as_replace_one

    parts = [_earlier_release(each, compared) for each, compared in found.earlier]
    together = f"{found.cost}, under the replace-one adjacency {as_replace_one(found.cost)}"
    pairs = [
        ("together", f"{together}; epsilon {decimal_up(found.epsilon)} at delta {found.delta}"),
        ("people", _people(found)),
    ]
    return "\n\n".join([*parts, facts(pairs), MEANS])


def _people(found: "JointCost") -> str:
    known = sorted(each for each in found.populations if each is not None)
    if not known:
        return "the releases brought ledgers of their own and do not say whose they are"
    if len(found.populations) > 1:
        named = ", ".join(known) + (" and others that are not named" if None in found.populations else "")
        return f"of {named}: costs add up for persons who are in all of them"
    return f"of {known[0]}, all of them"


def _earlier_release(earlier: "Earlier", compared: "Differencing") -> str:
    again = ", ".join(f"{labels.KINDS[each.geography]}: {_iterations(each.iterations)}" for each in compared.again)
    pairs = [
        ("earlier", f"{earlier.path}: {earlier.plan.title}"),
        ("cost", f"{earlier.plan.cost}, request {earlier.request_id}"),
        ("measured again", again or "nothing"),
        ("differ by little", _count(compared)),
    ]
    rows = [_difference_row(each) for each in compared.differences[:SHOWN]]
    if not rows:
        return facts(pairs)
    left = len(compared.differences) - SHOWN
    more = f"\nand {left:,} more, in --json" if left > 0 else ""
    header = ("level", "here", "there", "differ by", "noise (sd)")
    return f"{facts(pairs)}\n\n{table(header, rows, left=4)}{more}"


def _iterations(count: int) -> str:
    return f"{count:,} iteration{'' if count == 1 else 's'}"


def _count(compared: "Differencing") -> str:
    blocks = "" if compared.blocks else "; with --geography, regions are compared block by block too"
    return f"{len(compared.differences):,} pairs of groups{blocks}"


def _difference_row(each: "Difference") -> tuple[str, ...]:
    names = tuple(labels.shortened(name) for name in (each.here, each.there, ", ".join(each.parts)))
    return (labels.KINDS[each.geography], *names, rounded(each.deviation))


def earlier_json(found: "JointCost") -> "dict[str, Json]":
    """What `earlier_text` says, for programs, with every difference."""
    from starling.privacy.budget import decimal_up
    from starling.privacy.neighbours import as_replace_one
    from starling.release.statement import amount

    return {
        "joint": {
            "add-remove": amount(found.cost),
            "replace-one": amount(as_replace_one(found.cost)),
            "epsilon": decimal_up(found.epsilon),
            "delta": found.delta,
        },
        "releases": [
            {
                "release": str(each.path),
                "title": each.plan.title,
                "request_id": each.request_id,
                "population": each.population,
                "cost": amount(each.plan.cost),
                "measured_again": {str(same.geography): same.iterations for same in compared.again},
                "compared_blocks": compared.blocks,
                "differences": [
                    {
                        "by": one.by,
                        "geography": str(one.geography),
                        "here": one.here,
                        "there": one.there,
                        "parts": list(one.parts),
                        "standard_deviation": one.deviation,
                    }
                    for one in compared.differences
                ],
            }
            for each, compared in found.earlier
        ],
    }


def with_csv(compare: "Callable[..., Comparison]", path: Path) -> "Comparison":
    """Compare, and keep the rows as they come; without a comparison there is no file."""
    import pyarrow.csv as pacsv

    from starling.release.cells import as_text
    from starling.tables.earlier.comparison import SCHEMA

    try:
        file = path.open("xb")
    except OSError as error:
        problem = "exists" if isinstance(error, FileExistsError) else f"cannot be written ({error.strerror})"
        raise OutputError(str(path), problem, "name a new file in a place that you may write") from None
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
    """What `comparison_text` says, for programs, with as many numbers as the comparison keeps."""
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


def evaluation_text(found: "Evaluation") -> str:
    """Errors by level and kind of number, what the release states beside them, and what was left out."""
    from starling.tables.evaluate import WARNING, Errors

    header = ("level", "number", "rows", "mean error", "mean |error|", "rms error", "stated", "covered")
    rows = [
        (found.levels[str(level)], str(number), *_errors_row(errors))
        for (level, number), errors in found.by("level", "number").items()
    ]
    everything = sum((each.errors for each in found.classes), start=Errors())
    rows.append(("all", "", *_errors_row(everything)))
    gone: dict[str, tuple[int, int, int]] = {}
    for each in found.groups:
        groups, dropped, persons = gone.get(each.level, (0, 0, 0))
        gone[each.level] = (groups + each.groups, dropped + each.suppressed, persons + each.persons)
    left_out = [
        (found.levels[level], f"{groups:,}", f"{dropped:,}", f"{persons / max(dropped, 1):.2f}")
        for level, (groups, dropped, persons) in gone.items()
    ]
    return "\n\n".join(
        [
            WARNING,
            facts([("plan", found.title)]),
            table(header, rows, left=2),
            table(("level", "groups", "not published", "persons in one of these"), left_out),
        ]
    )


def _errors_row(errors: "Errors") -> tuple[str, ...]:
    numbers = (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.stated)
    return (f"{errors.rows:,}", *(rounded(number) for number in numbers), f"{100 * errors.coverage:.2f} %")


def evaluation_json(found: "Evaluation") -> "dict[str, Json]":
    """Every class and group count."""
    from starling.tables.evaluate import WARNING

    return {
        "not_private": True,
        "warning": WARNING,
        "title": found.title,
        "classes": [
            {
                "level": each.level,
                "level_in_words": found.levels[each.level],
                "size": each.size,
                "branch": each.branch,
                "number": each.number,
                "rows": each.errors.rows,
                "mean_error": each.errors.bias,
                "mean_absolute_error": each.errors.mean_absolute,
                "root_mean_square_error": each.errors.root_mean_square,
                "stated_standard_deviation": each.errors.stated,
                "covered": each.errors.covered,
            }
            for each in found.classes
        ],
        "groups": [
            {
                "level": each.level,
                "size": each.size,
                "groups": each.groups,
                "suppressed": each.suppressed,
                "persons_suppressed": each.persons,
            }
            for each in found.groups
        ],
    }
