"""The groups of a plan file of the Census, for those who have no definition files: a name, codes, and the iterations to tabulate.

A group is a set of race or ethnicity codes. A race group gives up to two iterations, "alone" (all of a person's race codes are in it) and
"combined" (one suffices); an ethnicity group gives one.
"""

from collections import defaultdict
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, get_args

from starling.errors import PlanError
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, aside, choice, text
from starling.planfile.spelling import name_problem
from starling.planfile.toml import Section
from starling.tables.plan.definitions import ITERATION_CODE, RACE_ETH_CODE, clashes
from starling.tables.plan.iterations import Definitions, Iteration
from starling.tables.plan.iterations import Kind as CodeKind

LEVELS: Final = {"regional": 1, "detailed": 2}
WHERE: Final = {
    # Words of the plan file: total only for nation and state and absent below; absent there and present below.
    "everywhere": (False, False),
    "totals of nation and state": (True, False),
    "below the state": (False, True),
}
SUFFIX: Final = {"alone": " alone", "combined": " alone or in any combination", "code": ""}
"""What follows a group's name in that of its iteration of each key."""


def _read_codes(section: Section, key: str, values: Values) -> tuple[str, ...]:
    codes, names = section.texts(key, 'list four-digit codes, such as ["1010", "1011"]'), values["names"]
    wrong = [code for code in codes if not RACE_ETH_CODE.fullmatch(code) or (names and code not in names)]
    if wrong:
        known = "is not in [codes]" if names else "is not four digits, the first not 0"
        section.refuse(key, f"lists {wrong[0][:8]!r}, which {known}", "correct it")
    if len(set(codes)) != len(codes):
        section.refuse(key, "lists a code twice", "list each code once")
    if not codes and key in section.values:
        section.refuse(key, "is empty", "list the codes of the group")
    return tuple(sorted(set(codes)))


def _check_group(section: Section, values: Values) -> None:
    """The `iterations` of a group."""
    name, codes, codes_of = values["name"], values["codes"], values["codes_of"]
    problem = name_problem(name) if name else None
    if problem or name in codes_of:
        section.refuse("name", problem or "is taken by another group", "give the group a name of its own")
    if "within" in section.values:
        parent = section.text("within", "name a group above")
        if parent not in codes_of:
            section.refuse("within", "names no group above this one", "define the parent first")
        elif not set(codes) <= codes_of[parent]:
            section.refuse("within", "does not hold all codes of this group", "add them to the parent")
    codes_of.setdefault(name, set(codes))
    total_only, coarse_only = WHERE[values["tabulate"]]
    values["iterations"] = [
        Iteration(
            code,
            name + SUFFIX[key],
            values["kind"],
            LEVELS[values["level"]],
            key == "alone",
            total_only,
            coarse_only,
            codes,
        )
        for key, code in _iteration_codes(section, values["kind"])
    ]


def _iteration_codes(section: Section, kind: CodeKind) -> list[tuple[str, str]]:
    """The keys among "alone", "combined", "code" that the group has, with their iteration codes."""
    allowed = ("alone", "combined") if kind == "race" else ("code",)
    pairs = []
    for key in SUFFIX:
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
        fix = f"give {' or '.join(allowed)} an iteration code"
        section.refuse(allowed[0], "is missing, so nothing is tabulated", fix)
    return pairs


def _iteration_key(what: str, key: str) -> Key:
    return Key(what, aside("text", TEXT), default={}, value=lambda group: group.iterations.get(key))


GROUP: Final = Table(
    {
        "name": Key("What the group is called.", text("name the group")),
        "kind": Key(
            "Codes of QRACE1, ..., or the code of QSPAN.", choice(get_args(CodeKind), "write race or ethnicity")
        ),
        "level": Key("Level 1 or 2.", choice(LEVELS, "write regional or detailed")),
        "codes": Key(
            "Four-digit codes; within a kind and level a code is in one group.",
            Kind("list of texts", TEXTS, _read_codes, list),
        ),
        "alone": _iteration_key("Iteration code: persons all of whose race codes are in the group.", "alone"),
        "combined": _iteration_key("Iteration code: persons with at least one race code in the group.", "combined"),
        "code": _iteration_key("Iteration code of an ethnicity group.", "code"),
        "within": Key(
            "Name of a group above that must hold all the codes.", aside("text", TEXT), default={}, value=lambda _: None
        ),
        "tabulate": Key(
            "Where it is tabulated, and how.",
            choice(WHERE, "leave it out for everywhere"),
            default="everywhere",
            value=lambda group: None if group.tabulate == "everywhere" else group.tabulate,
        ),
    },
    check=_check_group,
)


def _read_name(section: Section, key: str, _: Values) -> str:
    if not RACE_ETH_CODE.fullmatch(key):
        section.refuse(key, "is not a race or ethnicity code", "write four digits, the first not 0")
    return section.text(key, "name the code")


CODES: Final = Table(
    {},
    free=Key(
        'The name of a code, such as `1000 = "Curlew"`.', Kind("text", {"type": "string"}, _read_name), field="names"
    ),
)
"""Names by code. Without it every code of a group is known."""


def read_groups(top: Section) -> Definitions:
    """The code book of the tables [[groups]] and, if there, [codes]; problems are collected in `top`."""
    names: dict[str, str] = CODES.parse(top.table("codes"))["names"] if "codes" in top.values else {}
    above: Mapping[str, Any] = {"names": names, "codes_of": {}}
    iterations: list[Iteration] = []
    owner: dict[str, Section] = {}
    for section in top.tables("groups"):
        group = GROUP.parse(section, above)["iterations"]
        for iteration in group:
            if iteration.code in owner:
                problem = f"gives iteration {iteration.code} again, after {owner[iteration.code].name}"
                section.refuse("code", problem, "give each iteration its own code")
            owner.setdefault(iteration.code, section)
        iterations += group
    for clash in clashes(iterations):
        owner[clash.second].refuse("codes", f"clash: {clash.problem}", "put the code into one of them")
    used = {code: code for iteration in iterations for code in iteration.codes}
    in_order = sorted(iterations, key=lambda iteration: iteration.code)
    return Definitions(tuple(in_order), tuple(sorted((names or used).items())))


def names_of(definitions: Definitions) -> SimpleNamespace | None:
    """What CODES states of a code book; None where each code is its own name."""
    names = dict(definitions.codes)
    return None if all(code == name for code, name in names.items()) else SimpleNamespace(names=names)


def groups_of(definitions: Definitions) -> list[SimpleNamespace]:
    """What GROUP states of each group of a code book: iterations of one name, but for how they combine.

    Raises:
        PlanError: an iteration is of no group.
    """
    iterations_of: dict[tuple[Any, ...], dict[str, str]] = defaultdict(dict)
    for iteration in definitions.iterations:
        key = "code" if iteration.kind == "ethnicity" else "alone" if iteration.alone else "combined"
        where = [word for word, flags in WHERE.items() if flags == (iteration.total_only, iteration.coarse_only)]
        level = [word for word, number in LEVELS.items() if number == iteration.level]
        name = iteration.name.removesuffix(SUFFIX[key])
        if not where or not level or name + SUFFIX[key] != iteration.name:
            problem = f"have iteration {iteration.code}, which no group of a plan file says"
            raise PlanError("definitions", problem, "name the folder of the definition files")
        iterations_of[name, iteration.kind, level[0], iteration.codes, where[0]][key] = iteration.code
    fields = ("name", "kind", "level", "codes", "tabulate")
    return [
        SimpleNamespace(**dict(zip(fields, group, strict=True)), iterations=iterations)
        for group, iterations in iterations_of.items()
    ]
