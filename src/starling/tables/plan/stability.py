"""How many population groups of a level one person can be in, from the public definitions alone.

Claim. A person has at most r distinct race codes and one ethnicity code. At a level the person is in the iterations: union of
AIC(c) over the race codes c, intersection of Alone(c) over the race codes c (none without race codes), and Eth(e). Let h_AIC
and h_eth be the most such iterations of one code, and for an alone iteration i let codes(i) be its codes and h_alone(i) the
most alone iterations of one of them. Then the person is in at most

    max( r h_AIC,  max over alone i of  min(r h_AIC, |union of AIC(c) over c in codes(i)|) + h_alone(i) )  +  h_eth.

Proof. A union of at most r sets of at most h_AIC members has at most r h_AIC. If the person is in no alone iteration, that is
all of the race part. Otherwise let i be one of them. Every race code of the person is in codes(i), so the union is also within
the union of AIC(c) over codes(i); and the alone iterations are within Alone(c) for any one race code c of the person, which is
in codes(i), so they are at most h_alone(i). A code without iterations at the level, known or not, adds nothing to the union
and empties the intersection, so it cannot break the bound. The ethnicity code adds at most h_eth. Last, a person lies in one
block, so in at most one region of the level: the bound on iterations is the bound on groups, Delta(g_i) of SafeTab 2022.

Adding the most alone iterations to r h_AIC blindly would give 10 for the production definitions instead of 9: whoever is in
eight iterations alone or in combination is in none alone.
"""

from collections import defaultdict
from collections.abc import Iterable

from starling.errors import PlanError
from starling.tables.plan.codebook import MOST_RACE_CODES, Iteration


def stability(iterations: Iterable[Iteration], max_race_codes: int) -> int:
    """The bound above, for the iterations of one population group level.

    Args:
        iterations: Those tabulated at the level.
        max_race_codes: r, the race columns read of a record, 1 to 8.

    Raises:
        PlanError: when nothing bounds the groups of a person, or nobody can be in any group.
    """
    if not 1 <= max_race_codes <= MOST_RACE_CODES:
        raise PlanError(
            field="max_race_codes",
            problem=f"is not between 1 and {MOST_RACE_CODES}, so nothing bounds the groups of one person",
            fix="state how many race columns of a record are read",
        )
    combined: dict[str, set[str]] = defaultdict(set)
    alone: dict[str, set[str]] = defaultdict(set)
    ethnicity: dict[str, set[str]] = defaultdict(set)
    alone_iterations: list[Iteration] = []
    for iteration in iterations:
        if iteration.kind == "race" and iteration.alone:
            alone_iterations.append(iteration)
        of_code = ethnicity if iteration.kind == "ethnicity" else alone if iteration.alone else combined
        for code in iteration.codes:
            of_code[code].add(iteration.code)
    most_combined = max_race_codes * max(map(len, combined.values()), default=0)
    race = most_combined
    for iteration in alone_iterations:
        if not iteration.codes:
            continue
        reach: set[str] = set().union(*(combined.get(code, set()) for code in iteration.codes))
        beside = max(len(alone[code]) for code in iteration.codes)
        race = max(race, min(most_combined, len(reach)) + beside)
    bound = race + max(map(len, ethnicity.values()), default=0)
    if bound == 0:
        raise PlanError(
            field="iterations",
            problem="of this level hold no code, so nobody can be in any of its groups",
            fix="give the level a budget of 0, or map codes to its iterations",
        )
    return bound
