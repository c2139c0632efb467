"""Groups written in the plan file."""

import pytest

from starling.planfile.toml import parse
from starling.tables.plan import Definitions
from starling.tables.plan.groups import read_groups

WADERS = """
[codes]
1000 = "Curlew"
1001 = "Stone curlew"
1002 = "Stilt"
9000 = "Arctic"

[[groups]]
name = "Waders"
kind = "race"
level = "regional"
codes = ["1000", "1001", "1002"]
alone = "1001"
combined = "1002"

[[groups]]
name = "Curlew"
kind = "race"
level = "detailed"
within = "Waders"
codes = ["1001", "1000"]
combined = "2002"
tabulate = "totals of nation and state"

[[groups]]
name = "Northern"
kind = "ethnicity"
level = "detailed"
codes = ["9000"]
code = "3001"
tabulate = "below the state"
"""


def read(text: str) -> tuple[Definitions, list[str]]:
    top = parse(text, "p.toml")
    return read_groups(top), [str(problem) for problem in top.problems]


def test_groups_are_iterations() -> None:
    definitions, problems = read(WADERS)
    assert problems == []
    assert [(each.code, each.name, each.kind, each.level, each.alone) for each in definitions.iterations] == [
        ("1001", "Waders alone", "race", 1, True),
        ("1002", "Waders alone or in any combination", "race", 1, False),
        ("2002", "Curlew alone or in any combination", "race", 2, False),
        ("3001", "Northern", "ethnicity", 2, False),
    ]
    assert definitions.iterations[2].codes == ("1000", "1001")
    assert [each.total_only for each in definitions.iterations] == [False, False, True, False]
    assert [each.coarse_only for each in definitions.iterations] == [False, False, False, True]
    assert definitions.codes == (("1000", "Curlew"), ("1001", "Stone curlew"), ("1002", "Stilt"), ("9000", "Arctic"))


def test_without_a_list_of_codes_those_of_the_groups_are_the_list() -> None:
    definitions, problems = read(WADERS[WADERS.index("[[groups]]") :])
    assert problems == []
    assert definitions.codes == tuple((code, code) for code in ("1000", "1001", "1002", "9000"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"Curlew"\nkind', '"Waders"\nkind', "groups[2].name is taken by another group"),
        ('name = "Curlew"', "name = 1", "groups[2].name is not a text"),
        ('kind = "race"\nlevel = "detailed"', 'level = "detailed"', "groups[2].kind is missing"),
        ('level = "detailed"\nwithin', 'level = "2"\nwithin', "groups[2].level is not regional or detailed"),
        ('within = "Waders"', 'within = "Gulls"', "groups[2].within names no group above this one"),
        ('["1001", "1000"]', '["1001", "9000"]', "groups[2].within does not hold all codes"),
        ('["1001", "1000"]', '["1001", "1001"]', "groups[2].codes lists a code twice"),
        ('["1001", "1000"]', "[]", "groups[2].codes is empty"),
        ('["1001", "1000"]', '["1009"]', "groups[2].codes lists '1009', which is not in [codes]"),
        ('["1001", "1000"]', "[1001]", "groups[2].codes is not a list of strings"),
        ('combined = "2002"', 'combined = "202"', "groups[2].combined is not four digits"),
        ('combined = "2002"', 'combined = "1002"', "groups[2].code gives iteration 1002 again, after groups[1]"),
        ('combined = "2002"', "", "groups[2].alone is missing, so nothing is tabulated"),
        ('code = "3001"', 'alone = "3001"', "groups[3].alone is not for a group of ethnicity"),
        ('tabulate = "below the state"', 'tabulate = "below"', "groups[3].tabulate is not everywhere or"),
        ('tabulate = "below the state"', 'tabulated = "x"', "tabulated is an unknown key; did you mean tabulate?"),
        ('9000 = "Arctic"', '900 = "Arctic"', "codes.900 is not a race or ethnicity code"),
        ('9000 = "Arctic"', "9000 = 1", "codes.9000 is not a text"),
        ('name = "Northern"', f'name = "{"x" * 1001}"', "groups[3].name is longer than 1000"),
        ("[[groups]]", "[[group]]", "groups is missing"),
    ],
)
def test_what_is_wrong_is_told(old: str, new: str, message: str) -> None:
    assert old in WADERS
    _, problems = read(WADERS.replace(old, new))
    assert message in "\n".join(problems)


def test_a_code_in_two_groups_of_a_level_is_refused_at_the_second() -> None:
    extra = '[[groups]]\nname = "Grey"\nkind = "race"\nlevel = "regional"\ncodes = ["1000"]\ncombined = "1009"\n'
    _, problems = read(WADERS + extra)
    assert len(problems) == 2  # nation and state, and below
    assert problems[0].startswith("p.toml:36: groups[4].codes clash: 1000 is in 1002 and in 1009")
