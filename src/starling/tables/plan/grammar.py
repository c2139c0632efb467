"""What the grammars of both kinds of plan files share: what is promised, what is published, and what a level costs."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, get_args

from starling.errors import ParameterError
from starling.planfile.grammar import Key, Kind, Schema, Table, Values
from starling.planfile.kinds import EXACT, WHOLES, aside, choice, exact, fixed, flag, table, text
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.privacy.budget import DELTA, Measure, chance, chance_text
from starling.tables.plan.choices import STRUCTURE
from starling.tables.plan.detail import Detail
from starling.tables.plan.idle_choices import suppresses_nothing
from starling.tables.plan.levels import Level, Thresholds
from starling.tables.plan.margins import MARGINS
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import EVENLY, LARGEST_BUDGET

CHEAPEST: Final = "cheapest"
"""As the share of stage 1: the one with which the promised margins cost least."""
HALF: Final = Fraction(1, 2)
CHANCE: Final[Schema] = {"type": "string", "pattern": r"^[0-9]{1,40}([./][0-9]{1,40})?([eE][+-]?[0-9]{1,2})?$"}
LARGEST_THRESHOLD: Final = 10**12
_COUNTS: Final = {1: "one", 2: "two", 3: "three", 4: "four"}
_SHARE: Final = exact(
    f'write a share such as "0.1", or "{CHEAPEST}"', lambda share: not 0 < share < 1, "is not above 0 and below 1"
)


TITLE: Final = Key("For people; stands on the report.", text("say what the tables are"))


def _read_share(section: Section, key: str, values: Values) -> Fraction | None:
    """The share of a group's budget for stage 1; None for the cheapest."""
    if not values["staged"]:
        problem = "would change nothing: without [detail] each group is measured once"
        section.refuse(key, problem, "leave it out, or add [detail]")
    elif section.values[key] == CHEAPEST:
        return None
    else:
        return _SHARE.read(section, key, values) or HALF
    return HALF


def _check_share(section: Section, values: Values) -> None:
    if values["staged"] and "stage-1-share" not in section.values:
        _SHARE.read(section, "stage-1-share", values)


def _read_delta(section: Section, key: str, _: Values) -> str:
    fix = 'write it like "1e-10"'
    try:
        return chance_text(chance(section.text(key, fix) or DELTA, field=key))
    except ParameterError as error:
        section.refuse(key, error.problems[0].problem, fix)
        return DELTA


def privacy(units: Sequence[str]) -> Key:
    """`[privacy]` of plans that protect one of these."""
    neighbours = fixed("add-remove", 'write neighbours = "add-remove": databases that differ by one person')
    measure = choice(get_args(Measure), 'write "epsilon" (pure DP) or "rho" (zCDP)')
    share = Kind(f'exact number, or `"{CHEAPEST}"`', {"anyOf": [{"const": CHEAPEST}, EXACT]}, _read_share, exact_text)
    keys = {
        "unit": Key(
            "Whose data the guarantee hides.",
            choice(units, f'write unit = "{units[0]}": whose data the guarantee hides'),
            field="protects",
            value=lambda plan: plan.relation.unit,
        ),
        "neighbours": Key(
            "Databases that differ by one of them; written out, so that no plan leaves it open.", neighbours
        ),
        "measure": Key(
            "What `budget` counts: epsilon of pure DP, with discrete Laplace noise, or rho of zCDP, with discrete Gaussian noise.",
            measure,
        ),
        "delta": Key(
            "At which reports and pages state the epsilon of (ε, δ)-DP; nothing is charged by it.",
            Kind("chance", CHANCE, _read_delta),
            default=DELTA,
            value=lambda plan: None if plan.delta == DELTA else plan.delta,
        ),
        "stage-1-share": Key(
            "γ: the share of a group's budget for the total that is compared with the thresholds; the cheapest makes margins cost least.",
            share,
            default=HALF,
            field="gamma",
            value=lambda plan: plan.gamma if plan.detail.steps else None,
        ),
    }
    return Key("What is promised.", table(Table(keys, check=_check_share)))


def _either(no: str, yes: str) -> Kind:
    def read(section: Section, key: str, _: Values) -> bool:
        return section.choice(key, (no, yes), f'write "{no}" or "{yes}"') == yes

    return Kind(f'`"{no}"`, `"{yes}"`', {"enum": [no, yes]}, read, lambda chosen: yes if chosen else None)


def _read_structure(section: Section, key: str, _: Values) -> str:
    fix = 'write it as data-structure = "AGENCY:ID(1.0)"'
    structure = section.text(key, fix)
    if structure and not STRUCTURE.fullmatch(structure):
        section.refuse(key, "is no data structure", fix)
    return structure


def _read_add_up(section: Section, key: str, _: Values) -> bool | str:
    return EVENLY if section.values[key] == EVENLY else section.flag(key, f'write "{EVENLY}", true or false')


PUBLICATION: Final = Key(
    "What is published of what was measured.",
    table(
        Table(
            {
                "negative-counts": Key(
                    "Whether negative counts are published; else each noisy cell is raised to 0 before it is added to a total.",
                    flag("write true, or false to raise each count to 0"),
                    field="allow_negative",
                ),
                "suppression": Key(
                    "Below the state, or at `regions.small`, small bare totals are left out unless above this quantile of their noise.",
                    exact(
                        'write a chance such as "0.9999"',
                        lambda chance: not 0 <= chance < 1,
                        "is not 0 or more and below 1",
                        "leave it out to publish every bare total",
                    ),
                    default=Fraction(0),
                    # A Census configuration may state one that leaves nothing out, which a plan file may not.
                    value=lambda plan: plan.suppression if plan.suppression and not suppresses_nothing(plan) else None,
                ),
                "totals": Key(
                    "Both stages weight the first noisy total of a group into its published one.",
                    _either("second stage", "both stages"),
                    default=False,
                    field="both_stages",
                    value=lambda plan: plan.variants.both_stages,
                ),
                "intervals": Key(
                    "Whether intervals of totals hold over all groups, or given that and how the group is published.",
                    _either("all groups", "published"),
                    default=False,
                    field="given_published",
                    value=lambda plan: plan.variants.given_published,
                ),
                "add-up": Key(
                    "Whether totals add up over nested regions, and over iterations that are sums of others; `true` rounds the first up.",
                    Kind(f'`"{EVENLY}"`, `true` or `false`', {"enum": [EVENLY, True, False]}, _read_add_up),
                    default=False,
                    value=lambda plan: EVENLY if plan.variants.evenly else plan.variants.add_up or None,
                ),
                "data-structure": Key(
                    'The SDMX data structure of the numbers, `"AGENCY:ID(1.0)"`, which `export --format sdmx` states.',
                    replace(text(""), read=_read_structure),
                    default="",
                ),
            }
        )
    ),
)


BUDGET: Final = Key(
    "Epsilon or rho of the whole level.",
    exact(
        'write it like "0.159"',
        lambda amount: not 0 < amount <= LARGEST_BUDGET,
        f"is not above 0 and at most {LARGEST_BUDGET}",
        "leave the level out to switch it off",
    ),
    default=None,
)
PRICE: Final = {
    "budget": BUDGET,
    "margins": Key(
        "In place of a budget: margins of error that the numbers keep at the least one.",
        MARGINS,
        default=(),
        field="targets",
    ),
}
"""What a level costs."""
THRESHOLDS: Final = aside("list of whole numbers", WHOLES)


def check_level(section: Section, values: Values) -> None:
    """Refuse a level with both keys of PRICE, or none; its section stays beside what it states."""
    values["section"] = section
    promised = "margins" in section.values
    if promised == ("budget" in section.values):
        problem = "stands beside margins" if promised else "is missing"
        section.refuse("budget", problem, "give either budget or margins")


def price_of(level: Level) -> dict[str, Any]:
    """The fields of PRICE: the budget of a level, or the margins that it was found for."""
    return {"budget": None if level.targets else level.budget, "targets": level.targets}


def read_thresholds(
    section: Section, detail: Detail, key: str = "thresholds", largest: int = LARGEST_THRESHOLD
) -> Thresholds:
    """One threshold for each step of the detail."""
    cuts = section.values.get(key)
    numbers = [cut for cut in cuts if type(cut) is int] if isinstance(cuts, list) else []
    ascending = all(low < high for low, high in pairwise((0, *numbers, largest + 1)))
    if isinstance(cuts, list) and len(cuts) == len(numbers) == detail.steps and ascending:
        return tuple(numbers)
    problem = f"is not {_COUNTS.get(detail.steps, detail.steps)} strictly increasing positive integers"
    finer = ", then ".join(detail.names[branch] for branch in range(1, detail.steps + 1))
    finer = "4, 9 and 23 age bands" if detail == SEX_BY_AGE else finer
    fix = f"write the noisy totals from which there are {finer}"
    section.refuse(key, problem if key in section.values else "is missing", fix)
    return tuple(range(1, detail.steps + 1))
