"""An invented Census configuration folder, small enough to read: two states and Puerto Rico, six race groups, two ethnicities."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from starling.tables.plan import GeographyLevel

GEOGRAPHIES = tuple(geography.value for geography in GeographyLevel)

RACE = """ITERATION_CODE|ITERATION_NAME|LEVEL|ALONE|DETAILED_ONLY|COARSE_ONLY
0001|All birds alone|0|True|Null|Null
1001|Waders alone|1|True|False|False
1002|Waders alone or in any combination|1|False|False|False
2001|Curlew alone|2|True|False|False
2002|Curlew alone or in any combination|2|False|False|False
2003|Stilt alone|2|True|True|False
2004|Stilt alone or in any combination|2|False|True|False
2005|Other waders alone|2|True|False|True
2006|Other waders alone or in any combination|2|False|False|True
"""
ETHNICITY = """ITERATION_CODE|ITERATION_NAME|LEVEL|DETAILED_ONLY|COARSE_ONLY
3001|Northern|1|False|False
3002|Far northern|2|False|False
"""
CODES = """RACE_ETH_CODE|RACE_ETH_NAME
1000|Curlew
1001|Stone curlew
1002|Stilt
1003|Avocet
9000|Arctic
"""
MAPPING = """ITERATION_CODE|RACE_ETH_CODE
0001|1000
1001|1000
1001|1001
1001|1002
1002|1000
1002|1001
1002|1002
2001|1000
2001|1001
2002|1000
2002|1001
2003|1002
2004|1002
2005|1002
2006|1002
3001|9000
3002|9000
"""
GRF = """TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE
01|001|000100|0001|22800|0001
01|001|000100|0002|99999|0001
01|001|000200|0001|22800|9999
02|001|000100|0001|22800|0001
02|003|000100|0001|11111|0002
04|001|000100|0001|33333|9999
72|001|000100|0001|44444|9999
72|003|000100|0001|99999|9999
"""
TEXTS = {
    "race-characteristic-iterations": RACE,
    "ethnicity-characteristic-iterations": ETHNICITY,
    "race-and-ethnicity-codes": CODES,
    "race-and-ethnicity-code-to-iteration": MAPPING,
}

REMOVED = object()
"""As a value of config(): the key is left out."""


def key(geography: str, level: int) -> str:
    """The budget key of a level."""
    return f"privacy_budget_p_level_{level}_{geography.lower().replace('-', '_')}"


def config(**changes: Any) -> dict[str, Any]:
    """A valid configuration with some keys changed; every budget is 1/4."""
    values: dict[str, Any] = {"max_race_codes": 3}
    values |= {key(geography, level): 0.25 for geography in GEOGRAPHIES for level in (1, 2)}
    values |= {
        "privacy_budget_p_stage_1_fraction": 0.1,
        "thresholds_p": {f"({geography}, {level})": [5, 10, 20] for geography in GEOGRAPHIES for level in (1, 2)},
        "zero_suppression_chance": 0.5,
        "allow_negative_counts": True,
        "run_us": True,
        "run_pr": True,
        "reader": "csv",
        "state_filter_us": ["01", "02"],
        "privacy_defn": "zcdp",
    }
    values |= changes
    return {name: value for name, value in values.items() if value is not REMOVED}


def census_folder(folder: Path, values: Mapping[str, Any] | str | None = None, **texts: str) -> Path:
    """Write the folder: `values` is the configuration (or its text), `texts` replace definition files (`-` written `_`)."""
    folder.mkdir(parents=True, exist_ok=True)
    values = config() if values is None else values
    (folder / "config.json").write_text(values if isinstance(values, str) else json.dumps(values, indent=1))
    changed = {name.replace("_", "-"): text for name, text in texts.items()}
    for name, text in {**TEXTS, **changed}.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


COST = Fraction(3)
"""Of the folder as it is: twelve levels of 1/4 in the United States; eight in Puerto Rico."""
