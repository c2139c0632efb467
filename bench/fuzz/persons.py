"""What is fuzzed of tables: a plan with every kind of column of one's own, and one of the Census."""

import json
from typing import Final

from bench.fuzz.forms import forms
from bench.fuzz.source import STORED, TEXTS, Source

_WORKERS: Final = """title = "Workers"
[privacy]
unit = "person"
neighbours = "add-remove"
measure = "epsilon"
stage-1-share = "0.1"
[records]
{records}
[[columns]]
name = "sex"
values = ["F", "M"]
[[columns]]
name = "age"
from = 0
to = 99
[[columns]]
name = "began"
periods = ["0001-01-01", "2020-01-01", "2020-02-01", "9999-12-31"]
[[columns]]
name = "skills"
values = ["p", "q", "r"]
separator = ";"
most = 2
[[columns]]
name = "trade"
fields = ["trade1", "trade2"]
values = ["x", "y", "z"]
other = "z"
most = 2
[[columns]]
name = "wage"
from = "-10.5"
to = "99.25"
decimals = 2
[regions]
column = "area"
levels = ["land", "area"]
rows = [["a1", "west"], ["a2", "west"], ["b1", "east"]]
[publication]
negative-counts = true
[[groups]]
name = "everybody"
columns = []
[[groups]]
name = "skilled"
columns = ["skills", "age"]
cuts = {{ age = [0, 18, 65] }}
[[groups]]
name = "trades"
columns = ["trade", "began"]
[detail]
columns = ["sex", "age"]
steps = [[{{ sex = true }}, {{ sex = true, age = [0, 18, 65] }}]]
[[levels]]
regions = "area"
groups = "skilled"
budget = "1"
thresholds = [2, 3]
[[levels]]
regions = "land"
groups = "trades"
budget = "1"
thresholds = [2, 3]
[[sums]]
of = "wage"
regions = "land"
groups = "everybody"
budget = "1"
[[quantiles]]
of = "age"
regions = "land"
groups = "everybody"
budget = "1"
shares = ["0.5"]
"""
_COLUMNS: Final = {
    "sex": (b"F", b"M", b'"F"', b" M"),
    "age": (b"0", b"17", b"65.0", b"+99", b"100"),
    "began": (b"2020-01-05", b"2019-12-31T23:59:59.5", b"2020-02-01 00:00:00+01:00", b"1999-01-01"),
    "skills": (b"p;q", b"r", b"p;p;q;r", b";", b"?;p"),
    "trade1": (b"x", b"y", b""),
    "trade2": (b"z", b"x", b"?"),
    "wage": (b"1.25", b"-10.5", b"99", b"1e2", b"0.005"),
    "area": (b"a1", b"a2", b"b1", b"c9"),
}


def _workers(name: str, records: str, **more: tuple[bytes, ...]) -> Source:
    files = {"plan.toml": _WORKERS.format(records=records).replace("steps = [[", "steps = [").replace("}]]", "}]")}
    return Source(name, "tables", files, {**_COLUMNS, **more}, (*TEXTS, *STORED, "held"), records="persons")


_CENSUS: Final = {
    "plan/race-characteristic-iterations.txt": (
        "ITERATION_CODE|ITERATION_NAME|LEVEL|ALONE|DETAILED_ONLY|COARSE_ONLY\n"
        "1001|one|1|False|False|False\n1002|two|2|False|False|False\n1003|three|2|True|True|False\n"
    ),
    "plan/ethnicity-characteristic-iterations.txt": (
        "ITERATION_CODE|ITERATION_NAME|LEVEL|DETAILED_ONLY|COARSE_ONLY\n1004|four|1|False|False\n"
    ),
    "plan/race-and-ethnicity-codes.txt": "RACE_ETH_CODE|RACE_ETH_NAME\n1000|a\n1001|b\n2000|c\n",
    "plan/race-and-ethnicity-code-to-iteration.txt": (
        "ITERATION_CODE|RACE_ETH_CODE\n1001|1000\n1001|1001\n1002|1000\n1003|1001\n1004|2000\n"
    ),
    "blocks.txt": (
        "TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE\n"
        "01|001|000100|0001|99999|9999\n01|003|000100|0002|10001|0001\n72|001|000200|0001|10002|9999\n"
    ),
}


def _config() -> str:
    places = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH", "PR-STATE", "PR-COUNTY", "PR-TRACT", "PR-PLACE")
    levels = [(place, level) for place in places for level in (1, 2)]
    on = {(place, 1) for place in places} | {("STATE", 2), ("COUNTY", 2)}
    return json.dumps(
        {
            "max_race_codes": 8,
            **{
                f"privacy_budget_p_level_{level}_{place.lower().replace('-', '_')}": int((place, level) in on)
                for place, level in levels
            },
            "privacy_budget_p_stage_1_fraction": 0.1,
            "thresholds_p": {f"({place}, {level})": [2, 3, 4] for place, level in levels},
            "zero_suppression_chance": 0.5,
            "allow_negative_counts": True,
            "run_us": True,
            "run_pr": True,
            "reader": "csv",
            "state_filter_us": ["01"],
            "privacy_defn": "puredp",
        }
    )


_CODES: Final = (b"1000", b"1001", b"2000", b"Null", b"9999")
_PERSON: Final = {
    "QAGE": (b"0", b"017", b"65", b"115", b"116"),
    "QSEX": (b"1", b"2"),
    "HOUSEHOLDER": (b"True", b"False"),
    "TABBLKST": (b"01", b"72"),
    "TABBLKCOU": (b"001", b"003"),
    "TABTRACTCE": (b"000100", b"000200"),
    "TABBLK": (b"0001", b"0002"),
    "CENRACE": (b"01", b"22"),
    **{f"QRACE{at}": _CODES for at in range(1, 9)},
    "QSPAN": _CODES,
}

TABLES: Final = (
    _workers("tables-records", "of-a-person = 1"),
    _workers("tables-persons", 'of-a-person = 2\nperson = "who"', who=(b"a", b"b", b"17", b'"c"')),
    Source(
        "tables-census",
        "tables",
        {**_CENSUS, "plan/config.json": _config()},
        _PERSON,
        (*forms("csv", parts=True), *STORED),
        records="persons",
        public={"geography": "blocks.txt"},
        plan="plan",
        separator=b"|",
    ),
)
