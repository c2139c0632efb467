"""The grammar of the plan file of group sizes: every key, what it states, and what is refused; with the public files that it names."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from starling.errors import ParameterError, PlanError
from starling.groups.plan.budget import SplitBudget
from starling.groups.plan.choices import METHODS, MOST_CELLS, Kind, Register, Totals, Unit, default_method
from starling.groups.plan.regions import MOST_GROUPS, Row, leaf_totals, read_rows, regions_of
from starling.groups.plan.register import groups_of_leaves, read_register
from starling.groups.plan.shares import SHARES, budget_of
from starling.planfile import grammar
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import EXACT, TEXTS, budget, choice, fixed, table, tables, text, whole
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure

_LEVEL: Final = 40
"""Characters of the name of a level, which is that of a file too."""
MOST_LEVELS: Final = 16


class _Band(NamedTuple):
    """A band of sizes.

    Attributes:
        first: Its first size.
        split: The amount of each level; None where they are equal.
    """

    first: int
    split: tuple[Fraction, ...] | None


def _read_levels(section: Section, key: str, _: Values) -> list[str]:
    before = len(section.problems)
    levels = section.texts(key, 'name the levels, the root\'s first, like ["nation", "state", "county"]')
    if key in section.values and not 1 <= len(levels) <= MOST_LEVELS:
        section.refuse(key, f"are {len(levels)}", f"name 1 to {MOST_LEVELS} levels, the root's first")
    plain = [level.replace("-", "").replace("_", "") for level in levels]
    if not all(each.isascii() and each.isalnum() and len(each) <= _LEVEL for each in plain):
        section.refuse(key, "are not all words of letters, digits, - and _", "files are named after them")
    if len({level.lower() for level in levels} | {"regions"}) <= len(levels):
        section.refuse(key, "name a level twice, or one regions", "give each a name of its own")
    return levels if len(section.problems) == before else []


def _read_split(section: Section, key: str, values: Values) -> tuple[Fraction, ...] | None:
    amount, levels = values["epsilon"] or values["rho"] or Fraction(1), len(values["levels"])
    if section.values[key] == "equal" or not levels:
        return None
    fix = f'write "equal", or {levels} amounts that add up to {amount}, like ["1/2", "1/2"]'
    amounts = section.numbers(key, levels, f"is not an amount for each of {levels} levels", fix)
    if amounts and min(amounts) <= 0:
        section.refuse(key, "has an amount that is not above 0", fix)
    elif amounts and sum(amounts) != amount:
        section.refuse(key, f"adds up to {sum(amounts)}, not to {amount}", fix)
    return amounts


def _read_importance(section: Section, key: str, values: Values) -> tuple[Fraction, ...]:
    levels = len(values["levels"])
    fix = f'write {levels} numbers above 0, the root\'s first, like ["9", "1"]'
    problem = f"is not a number above 0 for each of {levels} levels"
    weights = section.numbers(key, levels, problem, fix)
    if min(weights, default=1) <= 0:
        section.refuse(key, problem, fix)
    return weights


def _check_privacy(section: Section, _: Values) -> None:
    stated = section.values
    if ("epsilon" in stated) == ("rho" in stated):
        section.refuse("epsilon", "and rho are both there, or none", 'write epsilon = "1", or rho for zCDP')
    if "bands" in stated and "split" in stated:
        section.refuse("split", "stands beside bands, which have their own", "remove one of them")
    for other in ("split", "bands"):
        if "shares" in stated and other in stated:
            section.refuse(other, "stands beside shares, from which the budget follows", "remove one of them")
    if "importance" in stated and "shares" not in stated:
        section.refuse("importance", "stands without shares, for which it is", "name public shares, or remove it")


def _amounts(measure: str) -> Key:
    return Key(
        "The whole budget of pure differential privacy." if measure == "epsilon" else "In place of it: that of zCDP.",
        budget('write it like "1"'),
        default=None,
        value=lambda plan: plan.budget.whole if plan.measure == measure else None,
    )


def _bands(plan: Any) -> list[_Band]:
    """The bands that a plan states itself, with their amounts."""
    return [] if plan.shares else list(map(_Band, plan.budget.bands, plan.budget.amounts))


_WEIGHTS: Final = {"type": "array", "items": EXACT}
_LIST: Final = "list of exact numbers"
_SPLIT: Final = Key(
    "The amount of each level, the root's first; they add up to the whole budget.",
    grammar.Kind(
        f'`"equal"` or {_LIST}',
        {"anyOf": [{"const": "equal"}, _WEIGHTS]},
        _read_split,
        lambda each: list(map(exact_text, each)),
    ),
    default=None,
)
_PRIVACY: Final = Table(
    {
        "unit": Key(
            "Whose data the guarantee hides: a member of a group, or an event.",
            choice(get_args(Unit), 'write "member" or "event": whose data the guarantee hides'),
        ),
        "neighbours": Key(
            "Databases that differ by one of them. Which groups there are is public.",
            fixed("add-remove", 'write neighbours = "add-remove": which groups there are is public'),
        ),
        "epsilon": _amounts("epsilon"),
        "rho": _amounts("rho"),
        "method": Key("Left out, the one whose noise is least in a published count.", choice(METHODS), default=None),
        "split": replace(_SPLIT, value=lambda plan: bands[0].split if len(bands := _bands(plan)) == 1 else None),
        "bands": Key(
            "In place of `split`: bands of sizes, each with its own.",
            tables(
                Table({"from": Key("The first size.", whole(0, "largest"), field="first"), "split": _SPLIT}, make=_Band)
            ),
            default=(),
            value=lambda plan: bands if len(bands := _bands(plan)) > 1 else None,
        ),
        "shares": Key(
            "In place of them: public shares of sizes, from which bands follow; here, or in a CSV file `size,share`.",
            SHARES,
            default=None,
        ),
        "importance": Key(
            "Of shares: what an error in one group weighs at each level, the root's first.",
            grammar.Kind(_LIST, _WEIGHTS, _read_importance, lambda each: list(map(exact_text, each))),
            default=None,
            value=lambda plan: plan.shares and plan.shares.importance,
        ),
    },
    check=_check_privacy,
)
_FILE: Final = Key(
    "A public CSV file `region,parent`.", text("name a public CSV file: region,parent"), value=lambda _: None
)
_LEVELS: Final = Key(
    "The name of each level of regions, the root's first. Files are named after them.",
    grammar.Kind("list of texts", TEXTS, _read_levels, list),
    value=lambda plan: plan.regions.levels,
)


_SIZES: Final = Table(
    {
        "largest": Key("N: larger groups count as of this size.", whole(1, MOST_CELLS)),
        "quantity": Key("q: the most that one member or event adds to a size.", whole(1, "largest"), default=1),
    }
)
_TOTALS: Final = Table(
    {
        "public": Key(
            "Whether the number of all groups is public, or that of every region.",
            choice(get_args(Totals), 'write "root" or "region"'),
            field="totals",
        ),
        "groups": Key("G, of all; left out where public files say it.", whole(0, MOST_GROUPS), default=None),
    }
)
_INPUT: Final = Table(
    {
        "kind": Key(
            "What a record is: a group, how many groups of a size, a person of a group, or an event of a group.",
            choice(get_args(Kind), f"write one of {', '.join(get_args(Kind))}"),
        ),
        "register": Key(
            "Of persons and events: a public table `group,region` of all groups.",
            text("name the public list of groups: group,region"),
            default=None,
            value=lambda _: None,
        ),
    }
)


def _plan(**regions: Key) -> Table:
    return Table(
        {
            "title": Key("For people; stands on the report.", text("say what is published")),
            "group": Key("What is counted, in a word.", text('say it in a word, as in group = "household"')),
            "member": Key("What a group consists of, in a word.", text('say it in a word, as in member = "person"')),
            "regions": Key("The public regions.", table(Table(regions))),
            "sizes": Key("The sizes of groups.", table(_SIZES)),
            "totals": Key("What is public of the number of groups.", table(_TOTALS)),
            "input": Key("What records are.", table(_INPUT)),
            "format": FORMAT_KEY,
            "privacy": Key("What is promised.", table(_PRIVACY)),
        }
    )


PLAN: Final = _plan(file=_FILE, levels=_LEVELS)
WITH_REGIONS: Final = _plan(levels=_LEVELS)
"""The grammar of a plan whose regions are given beside it."""


def read_plan(top: Section, folder: Path, rows: Sequence[Row] | None = None) -> dict[str, Any]:
    """The fields of the plan that the top of a file states, with the public files that it names.

    Args:
        top: The top of the plan.
        folder: Where the files lie that it names by relative paths.
        rows: The regions, in place of their file.

    Raises:
        PlanError: with every problem found.
    """
    fields = (PLAN if rows is None else WITH_REGIONS).read(top, {"folder": folder})
    path, form = folder / fields.pop("file", "regions"), fields["format"]
    rows = read_rows(path, form) if rows is None else rows
    regions = regions_of(rows, fields.pop("levels"), path.name)
    groups = {row.region: row.groups for row in rows}
    counted = {leaf: groups[leaf] for leaf in regions.leaves}
    if fields["register"] is not None:
        listed = folder / fields["register"]
        register, sha256 = read_register(listed, form)
        counted |= groups_of_leaves(register, regions, listed.name)
        fields["register"] = Register(sha256, listed)
    if fields["totals"] == "region":
        regions = replace(regions, totals=leaf_totals(regions, counted))
    known = None if None in counted.values() else sum(each or 0 for each in counted.values())
    if fields["groups"] is None and known is None:
        top.table("totals").refuse("groups", "is missing", "give the public number of all groups")
    elif None not in (fields["groups"], known) and fields["groups"] != known:
        problem = f"is not {known:,}, as the public files say"
        top.table("totals").refuse("groups", problem, "correct it, or leave it out")
    PlanError.check(top.problems)
    fields |= {"regions": regions, "groups": known if fields["groups"] is None else fields["groups"]}
    return fields | _budget(top, fields)


def _budget(top: Section, fields: dict[str, Any]) -> dict[str, Any]:
    """Measure, method, budget and shares; raises PlanError where bands or shares give no budget."""
    epsilon, rho, importance = fields.pop("epsilon"), fields.pop("rho"), fields.pop("importance")
    measure: Measure = "epsilon" if rho is None else "rho"
    amount = epsilon if rho is None else rho
    method = fields["method"] or default_method(fields["quantity"], measure)
    bands = fields.pop("bands") or (_Band(0, fields["split"]),)
    regions, shares = fields["regions"], fields["shares"] and replace(fields["shares"], importance=importance)
    del fields["split"]
    equal = (amount / len(regions.levels),) * len(regions.levels)
    try:
        if shares is None:
            by_size = SplitBudget(tuple(each.first for each in bands), tuple(each.split or equal for each in bands))
        else:
            sizes = fields["largest"], fields["quantity"], fields["groups"]
            by_size = budget_of(shares, amount, measure, *sizes, tuple(map(len, regions.ids)))
    except ParameterError as error:
        (wrong,) = error.problems
        key, problem, fix = ("bands", wrong.problem, wrong.fix)
        if shares is not None:
            key, problem, fix = "shares", f"give no budget: {wrong.field} {wrong.problem}", "write bands"
        top.table("privacy").refuse(key, problem, fix)
        raise PlanError(problems=top.problems) from None
    return {"measure": measure, "method": method, "budget": by_size, "shares": shares}
