"""Tiny random worlds as real files: definitions, geography, configuration, and person records, for Hypothesis.

Codes, iterations and blocks are so few that people collide, that iterations nest and overlap, and that every flag occurs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from starling.tables.plan import Geography, GeographyLevel, Plan, read_geography

COLUMNS = (
    *("QAGE", "QSEX", "HOUSEHOLDER", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "CENRACE"),
    *(f"QRACE{column}" for column in range(1, 9)),
    "QSPAN",
)
HEADER = "|".join(COLUMNS).encode()
CODES = ("1000", "1001", "1002", "2000", "2001", "3000")
STATES = ("01", "02", "72")


@dataclass(frozen=True)
class World:
    """The text of every file.

    Attributes:
        files: Of the Census folder, by name.
        blocks: Lines of the block file.
        persons: Lines of the records.
        header: Of the records.
    """

    files: dict[str, str]
    blocks: tuple[str, ...]
    persons: tuple[bytes, ...]
    header: bytes = field(default=HEADER)

    def with_persons(self, persons: Sequence[bytes]) -> "World":
        return replace(self, persons=tuple(persons))

    def public(self, folder: Path) -> tuple[Plan, Geography]:
        """Write and read the public files."""
        census = folder / "plan"
        census.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (census / name).write_text(text)
        plan = Plan.load(census)
        (folder / "blocks.txt").write_text("\n".join(["|".join(BLOCK_HEADER), *self.blocks]) + "\n")
        return plan, read_geography(folder / "blocks.txt", plan)

    def records(self, folder: Path) -> Path:
        """Write the person records."""
        path = folder / "persons.txt"
        path.write_bytes(b"".join(line + b"\n" for line in (self.header, *self.persons)))
        return path


BLOCK_HEADER = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE")


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, str]:
    """The four definition files. Levels 1 and 2 have at least one race iteration with a code, so that each can be tabulated."""
    races = ["ITERATION_CODE|ITERATION_NAME|LEVEL|ALONE|DETAILED_ONLY|COARSE_ONLY"]
    ethnicities = ["ITERATION_CODE|ITERATION_NAME|LEVEL|DETAILED_ONLY|COARSE_ONLY"]
    mapping = ["ITERATION_CODE|RACE_ETH_CODE"]
    number = 1000
    for level in (1, 2):
        for alone in (False, True, None):  # None: ethnicity
            # One iteration per code, kind, level and granularity: a code in one of a kind may not be in another that is tabulated
            # at the same geographies.
            free = {place: set(CODES) for place in ("above", "below")}
            flags = [(False, False)] if alone is False else []
            flags += draw(st.lists(st.sampled_from([(False, False), (True, False), (False, True)]), max_size=3))
            for position, (detailed, coarse) in enumerate(flags):
                number += 1
                places = [place for place, absent in (("above", coarse), ("below", detailed)) if not absent]
                allowed = sorted(set.intersection(*(free[place] for place in places)))
                first = position == 0 and alone is False
                codes = draw(st.sets(st.sampled_from(allowed), min_size=int(first))) if allowed else set()
                for place in places:
                    free[place] -= codes
                if alone is None:
                    ethnicities.append(f"{number}|e{number}|{level}|{detailed}|{coarse}")
                else:
                    races.append(f"{number}|r{number}|{level}|{alone}|{detailed}|{coarse}")
                mapping += [f"{number}|{code}" for code in sorted(codes)]
    return {
        "race-characteristic-iterations.txt": "\n".join(races) + "\n",
        "ethnicity-characteristic-iterations.txt": "\n".join(ethnicities) + "\n",
        "race-and-ethnicity-codes.txt": "\n".join(["RACE_ETH_CODE|RACE_ETH_NAME", *(f"{c}|n{c}" for c in CODES)])
        + "\n",
        "race-and-ethnicity-code-to-iteration.txt": "\n".join(mapping) + "\n",
    }


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """config.json: levels switched on and off, US and Puerto Rico, one to eight race codes."""
    levels = [(geography, level) for geography in GeographyLevel for level in (1, 2)]
    run_us, run_pr = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    run = [(g, n) for g, n in levels if (run_pr if g.puerto_rico else run_us)]
    on = set(draw(st.lists(st.sampled_from(run), min_size=1, max_size=6)))
    return {
        "max_race_codes": draw(st.integers(1, 8)),
        **{
            f"privacy_budget_p_level_{level}_{geography.lower().replace('-', '_')}": int((geography, level) in on)
            for geography, level in levels
        },
        "privacy_budget_p_stage_1_fraction": 0.1,
        "thresholds_p": {f"({geography}, {level})": [2, 3, 4] for geography, level in levels},
        "zero_suppression_chance": 0,  # no count depends on it
        "allow_negative_counts": True,
        "run_us": run_us,
        "run_pr": run_pr,
        "reader": "csv",
        "state_filter_us": draw(st.sampled_from([["01"], ["02"], ["01", "02"]])) if run_us else [],
        "privacy_defn": draw(st.sampled_from(["puredp", "zcdp"])),
    }


def codes(*, odd: bool) -> st.SearchStrategy[str]:
    """A race or ethnicity field: mostly codes and Null; with `odd` also what is neither."""
    usual = st.sampled_from([*CODES, "Null"])
    strange = st.sampled_from(
        ["", "9999", "0000", "null", "1000,1001", '"1000"', "10000", "100", " 1000", "é", "\u0663\u0663\u0663\u0663"]
    )
    return st.one_of(usual, usual, strange) if odd else usual


@st.composite
def persons(draw: st.DrawFn, blocks: Sequence[str], *, odd: bool = True) -> bytes:
    """One record; with `odd`, any field may be wrong."""
    block = draw(st.sampled_from(blocks)).split("|")[:4]
    if odd and draw(st.integers(0, 9)) == 0:
        block[draw(st.integers(0, 3))] = draw(st.sampled_from(["99", "1", "", "0001", "abc", "01|01"]))
    age = draw(st.sampled_from(["0", "005", "17", "018", "64", "65", "115", "85", "020", "21"]))
    sex = draw(st.sampled_from(["1", "2"]))
    if odd and draw(st.integers(0, 9)) == 0:
        age = draw(st.sampled_from(["116", "-1", "abc", "", "0018", "1.0", "\u0663", "Null"]))
    if odd and draw(st.integers(0, 9)) == 0:
        sex = draw(st.sampled_from(["0", "3", "", "Null", "12", "M"]))
    race = draw(st.lists(codes(odd=odd), min_size=8, max_size=8))
    ended = draw(st.integers(0, 8))  # most people have few codes
    race[ended:] = ["Null"] * (8 - ended)
    return "|".join([age, sex, "True", *block, "01", *race, draw(codes(odd=odd))]).encode()


@st.composite
def worlds(draw: st.DrawFn, *, most: int = 25, odd: bool = True) -> World:
    """A whole world with at most `most` persons."""
    config = draw(configurations())
    states = [*config["state_filter_us"], *(["72"] if config["run_pr"] else [])]
    result = st.tuples(
        st.sampled_from(STATES),
        st.sampled_from(["001", "003"]),
        st.sampled_from(["000100", "000200"]),
        st.integers(1, 3),
    )
    ids = draw(st.sets(result, max_size=7)) | {(state, "001", "000100", 1) for state in states}
    blocks = tuple(
        f"{state}|{county}|{tract}|{block:04d}|{draw(st.sampled_from(['99999', '10001', '10002']))}|"
        f"{'9999' if state == '72' else draw(st.sampled_from(['9999', '0001', '0002']))}"
        for state, county, tract, block in sorted(ids)
    )
    files = draw(definitions()) | {"config.json": json.dumps(config)}
    return World(files, blocks, tuple(draw(st.lists(persons(blocks, odd=odd), max_size=most))))
