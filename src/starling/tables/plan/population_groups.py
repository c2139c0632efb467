"""Groups written in the plan file itself, for who has no Census definitions: a name, codes, and the iterations to tabulate.

A group is a set of race or ethnicity codes. A race group gives up to two iterations, "alone" (all of a person's race codes are
in it) and "combined" (one suffices); an ethnicity group gives one.
"""

from starling.planfile.spelling import name_problem
from starling.planfile.toml import Section
from starling.tables.plan.codebook import Definitions, Iteration, Kind
from starling.tables.plan.definitions import ITERATION_CODE, RACE_ETH_CODE, clashes

LEVELS = {"regional": 1, "detailed": 2}
WHERE = {
    # Words of the plan file: total only for nation and state and absent below; absent there and present below.
    "everywhere": (False, False),
    "totals of nation and state": (True, False),
    "below the state": (False, True),
}
_KEYS = ("name", "kind", "level", "codes", "alone", "combined", "code", "tabulate", "within")
_SUFFIX = {"alone": " alone", "combined": " alone or in any combination", "code": ""}


def suffix(key: str) -> str:
    """What follows a group's name in that of its iteration `key`: "alone", "combined", or the "code" of an ethnicity.

    >>> suffix("alone")
    ' alone'
    """
    return _SUFFIX[key]


def read_groups(top: Section) -> Definitions:
    """The code book of the tables [[groups]] and, if there, [codes]; problems are collected in `top`."""
    names = _code_names(top)
    iterations: list[Iteration] = []
    codes_of: dict[str, set[str]] = {}
    owner: dict[str, Section] = {}
    for section in top.tables("groups"):
        section.only(_KEYS)
        made = _group(section, names, codes_of)
        for iteration in made:
            if iteration.code in owner:
                problem = f"gives iteration {iteration.code} again, after {owner[iteration.code].name}"
                section.refuse("code", problem, "give each iteration its own code")
            owner.setdefault(iteration.code, section)
        iterations += made
    for clash in clashes(iterations):
        owner[clash.second].refuse("codes", f"clash: {clash}", "put the code into one of them")
    used = {code: code for iteration in iterations for code in iteration.codes}
    return Definitions(
        tuple(sorted(iterations, key=lambda iteration: iteration.code)), tuple(sorted((names or used).items()))
    )


def _code_names(top: Section) -> dict[str, str]:
    """The table [codes]: names by code. Without it every code of a group is known."""
    if "codes" not in top.values:
        return {}
    section = top.table("codes")
    names: dict[str, str] = {}
    for code in section.values:
        if not RACE_ETH_CODE.fullmatch(code):
            section.refuse(code, "is not a race or ethnicity code", "write four digits, the first not 0")
        name = section.text(code, "name the code")
        names[code] = name
    return names


def _group(section: Section, names: dict[str, str], codes_of: dict[str, set[str]]) -> list[Iteration]:
    """The iterations of one group."""
    name = section.text("name", "name the group")
    problem = name_problem(name) if name else None
    if problem or name in codes_of:
        section.refuse("name", problem or "is taken by another group", "give the group a name of its own")
    kind: Kind = (
        "ethnicity" if section.choice("kind", ("race", "ethnicity"), "write race or ethnicity") != "race" else "race"
    )
    level = LEVELS[section.choice("level", tuple(LEVELS), "write regional or detailed")]
    where = (
        section.choice("tabulate", tuple(WHERE), "leave it out for everywhere")
        if "tabulate" in section.values
        else "everywhere"
    )
    codes = _codes(section, names)
    if "within" in section.values:
        parent = section.text("within", "name a group above")
        if parent not in codes_of:
            section.refuse("within", "names no group above this one", "define the parent first")
        elif not set(codes) <= codes_of[parent]:
            section.refuse("within", "does not hold all codes of this group", "add them to the parent")
    codes_of.setdefault(name, set(codes))
    total_only, coarse_only = WHERE[where]
    return [
        Iteration(code, name + _SUFFIX[key], kind, level, key == "alone", total_only, coarse_only, codes)
        for key, code in _iteration_codes(section, kind)
    ]


def _codes(section: Section, names: dict[str, str]) -> tuple[str, ...]:
    codes = section.texts("codes", 'list four-digit codes, such as ["1010", "1011"]')
    wrong = [code for code in codes if not RACE_ETH_CODE.fullmatch(code) or (names and code not in names)]
    if wrong:
        known = "is not in [codes]" if names else "is not four digits, the first not 0"
        section.refuse("codes", f"lists {wrong[0][:8]!r}, which {known}", "correct it")
    if len(set(codes)) != len(codes):
        section.refuse("codes", "lists a code twice", "list each code once")
    if not codes and "codes" in section.values:
        section.refuse("codes", "is empty", "list the codes of the group")
    return tuple(sorted(set(codes)))


def _iteration_codes(section: Section, kind: Kind) -> list[tuple[str, str]]:
    """The keys among "alone", "combined", "code" that the group has, with their iteration codes."""
    allowed = ("alone", "combined") if kind == "race" else ("code",)
    pairs = []
    for key in ("alone", "combined", "code"):
        if key not in section.values:
            continue
        code = section.text(key, 'write four digits, such as "1003"')
        if key not in allowed:
            section.refuse(key, f"is not for a group of {kind}", f"use {' and '.join(allowed)}")
        elif code and not ITERATION_CODE.fullmatch(code):
            section.refuse(key, "is not four digits", 'write it like "1003"')
        elif code:
            pairs.append((key, code))
    if not any(key in section.values for key in allowed):
        section.refuse(
            allowed[0], "is missing, so nothing is tabulated", f"give {' or '.join(allowed)} an iteration code"
        )
    return pairs
