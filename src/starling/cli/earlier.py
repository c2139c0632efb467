"""A plan beside earlier releases, as text and for machines. Reads released folders and public files alone."""

from typing import TYPE_CHECKING, Final

from starling.release.text import facts, rounded, table
from starling.tables.plan import labels

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.earlier.differencing import Difference, Differencing
    from starling.tables.earlier.releases import Earlier, JointCost

SHOWN: Final = 20
"""Differences of one release that the text lists; all are in the JSON."""

MEANS: Final = (
    "Whoever has both releases can subtract one group from the other: what is left tells of the persons in the difference, with the noise\n"
    "of both. They are protected by what all releases cost together, never by the cost of one alone."
)


def earlier_text(found: "JointCost") -> str:
    """Each release with what is measured again, the differences, and the cost of all."""
    from starling.privacy.budget import decimal_up
    from starling.privacy.neighbours import as_replace_one

    parts = [_release(each, compared) for each, compared in found.earlier]
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


def _release(earlier: "Earlier", compared: "Differencing") -> str:
    again = ", ".join(f"{labels.KINDS[each.geography]}: {_iterations(each.iterations)}" for each in compared.again)
    pairs = [
        ("earlier", f"{earlier.path}: {earlier.plan.title}"),
        ("cost", f"{earlier.plan.cost}, request {earlier.request_id}"),
        ("measured again", again or "nothing"),
        ("differ by little", _count(compared)),
    ]
    rows = [_row(each) for each in compared.differences[:SHOWN]]
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


def _row(each: "Difference") -> tuple[str, ...]:
    names = tuple(labels.shortened(name) for name in (each.here, each.there, ", ".join(each.parts)))
    return (labels.KINDS[each.geography], *names, rounded(each.deviation))


def earlier_json(found: "JointCost") -> "dict[str, Json]":
    """The same, with every difference."""
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
