"""The Census definitions: characteristic iterations, codes, and which code is in which iteration; read and checked.

The rules are those of SafeTab-P's input validation, plus what it lets pass to its harm: duplicates, and lines that double a
mapping (which there double the stability). Every problem of every file is reported at once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from starling.errors import PlanError, Problem
from starling.planfile.pipe_separated import NULL, read_table
from starling.planfile.spelling import name_problem
from starling.tables.plan.iterations import Definitions, Iteration, Kind

RACE_FILE = "race-characteristic-iterations"
ETHNICITY_FILE = "ethnicity-characteristic-iterations"
CODES_FILE = "race-and-ethnicity-codes"
MAPPING_FILE = "race-and-ethnicity-code-to-iteration"
FILES = (RACE_FILE, ETHNICITY_FILE, CODES_FILE, MAPPING_FILE)
"""Names of the definition files, without .txt or .parquet."""

RACE_COLUMNS = ("ITERATION_CODE", "ITERATION_NAME", "LEVEL", "ALONE", "DETAILED_ONLY", "COARSE_ONLY")
ETHNICITY_COLUMNS = ("ITERATION_CODE", "ITERATION_NAME", "LEVEL", "DETAILED_ONLY", "COARSE_ONLY")

ITERATION_CODE = re.compile(r"[0-9]{4}")
RACE_ETH_CODE = re.compile(r"[1-9][0-9]{3}")

_FLAGS = ("DETAILED_ONLY", "COARSE_ONLY")


class Clash(NamedTuple):
    """A code that is in two iterations between which a person could not be placed: the code, the second iteration, and what is wrong."""

    code: str
    second: str
    problem: str


def clashes(iterations: Iterable[Iteration]) -> Iterator[Clash]:
    """Where a code breaks the rule: one iteration for each kind, level, aloneness and granularity.

    Granularity is nation and state, or below the state. At level 0, which is not tabulated, anything goes.
    """
    taken: dict[tuple[str, str, int, bool, bool], str] = {}
    for iteration in iterations:
        for below_state, absent in ((False, iteration.coarse_only), (True, iteration.total_only)):
            if absent or iteration.level == 0:
                continue
            where = "below the state" if below_state else "for nation and state"
            for code in iteration.codes:
                key = (code, iteration.kind, iteration.level, iteration.alone, below_state)
                first = taken.setdefault(key, iteration.code)
                if first != iteration.code:
                    both = f"{code} is in {first} and in {iteration.code}"
                    problem = f"{both}, which are both tabulated {where} at level {iteration.level}"
                    yield Clash(code, iteration.code, problem)


class _Draft(NamedTuple):
    """An iteration whose codes are not known yet, where it stands, and each code with the line that maps it."""

    iteration: Iteration
    file: str
    line: int
    codes: dict[str, int]

    def finished(self) -> Iteration:
        return replace(self.iteration, codes=tuple(sorted(self.codes)))


def _row_problems(row: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Field, problem and fix of all that is wrong with one line of an iterations file."""
    if not ITERATION_CODE.fullmatch(row["ITERATION_CODE"]):
        yield "ITERATION_CODE", "is not four digits", "write it like 1003"
    if problem := name_problem(row["ITERATION_NAME"]):
        yield "ITERATION_NAME", problem, "name the iteration"
    level_ok = row["LEVEL"] in ("0", "1", "2")
    if not level_ok:
        yield "LEVEL", "is not 0, 1 or 2", "0 is not tabulated, 1 regional, 2 detailed"
    if row.get("ALONE", "True") not in ("True", "False"):
        yield "ALONE", "is not True or False", "write True or False"
    flags = [row[field] for field in _FLAGS]
    for field, flag in zip(_FLAGS, flags, strict=True):
        if flag not in ("True", "False", NULL):
            yield field, "is not True, False or Null", "write True or False, and Null at level 0"
            level_ok = False
    if level_ok and row["LEVEL"] == "0" and flags != [NULL, NULL]:
        yield "LEVEL", "is 0 but a flag is not Null", "write Null|Null at level 0"
    if level_ok and row["LEVEL"] != "0" and NULL in flags:
        yield "DETAILED_ONLY, COARSE_ONLY", "is Null above level 0", "write True or False"
    if level_ok and flags == ["True", "True"]:
        yield "DETAILED_ONLY, COARSE_ONLY", "are both True, so it is tabulated nowhere", "set one to False"


def _iterations(folder: Path, problems: list[Problem]) -> dict[str, _Draft]:
    drafts: dict[str, _Draft] = {}
    files: tuple[tuple[Kind, str, tuple[str, ...]], ...] = (
        ("race", RACE_FILE, RACE_COLUMNS),
        ("ethnicity", ETHNICITY_FILE, ETHNICITY_COLUMNS),
    )
    for kind, stem, columns in files:
        file, records = read_table(folder, stem, columns, problems)
        for line, fields in records:
            row = dict(zip(columns, fields, strict=True))
            if wrong := [Problem(*one, file, line) for one in _row_problems(row)]:
                problems += wrong
                continue
            code = row["ITERATION_CODE"]
            alone, total_only, coarse_only = (row.get(flag) == "True" for flag in ("ALONE", *_FLAGS))
            iteration = Iteration(
                code, row["ITERATION_NAME"], kind, int(row["LEVEL"]), alone, total_only, coarse_only, ()
            )
            draft = _Draft(iteration, file, line, {})
            first = drafts.setdefault(code, draft)
            if first is not draft:
                where = f"line {first.line}" if first.file == file else f"{first.file}, line {first.line}"
                problem = f"{code} is taken by {where}"
                problems.append(Problem("ITERATION_CODE", problem, "give each iteration its own code", file, line))
    return drafts


def _codes(folder: Path, problems: list[Problem]) -> dict[str, str]:
    file, records = read_table(folder, CODES_FILE, ("RACE_ETH_CODE", "RACE_ETH_NAME"), problems)
    names: dict[str, str] = {}
    for line, (code, name) in records:
        if problem := name_problem(name):
            problems.append(Problem("RACE_ETH_NAME", problem, "name the code", file, line))
        if not RACE_ETH_CODE.fullmatch(code):
            fix = "write four digits, the first not 0"
            problems.append(Problem("RACE_ETH_CODE", "is not a race or ethnicity code", fix, file, line))
        elif code in names:
            problems.append(Problem("RACE_ETH_CODE", f"{code} is listed twice", "remove one line", file, line))
        else:
            names[code] = name
    return names


def _mapping(folder: Path, drafts: dict[str, _Draft], codes: dict[str, str], problems: list[Problem]) -> None:
    file, records = read_table(folder, MAPPING_FILE, ("ITERATION_CODE", "RACE_ETH_CODE"), problems)
    # After a broken iterations or codes file, every reference to it would be reported as dangling: noise.
    complete = not problems
    for line, (iteration_code, code) in records:
        draft = drafts.get(iteration_code)
        if draft is None or code not in codes:
            if complete:
                field = "ITERATION_CODE" if draft is None else "RACE_ETH_CODE"
                problems.append(Problem(field, "is not defined", "define it, or remove the line", file, line))
        elif code in draft.codes:
            problem = f"{iteration_code}|{code} is listed twice"
            problems.append(Problem("ITERATION_CODE|RACE_ETH_CODE", problem, "remove one line", file, line))
        else:
            draft.codes[code] = line
    for clash in clashes(draft.finished() for draft in drafts.values()):
        line = drafts[clash.second].codes[clash.code]
        problems.append(Problem("RACE_ETH_CODE", clash.problem, "map it to one of them", file, line))


def read_definitions(folder: Path) -> Definitions:
    """The code book of a folder of four Census definition files; raises PlanError with every problem of every file."""
    problems: list[Problem] = []
    drafts = _iterations(folder, problems)
    codes = _codes(folder, problems)
    _mapping(folder, drafts, codes, problems)
    PlanError.check(problems)
    return Definitions(tuple(drafts[code].finished() for code in sorted(drafts)), tuple(sorted(codes.items())))
