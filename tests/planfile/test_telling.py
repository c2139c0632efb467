"""A plan that is read as one of another domain is named as what it is, in every pair of domains."""

import itertools
from pathlib import Path

import pytest

from starling import genome, groups, places, tables
from starling.cli.verbs import registered
from starling.errors import PlanError
from starling.planfile.grammar import NEEDED
from starling.planfile.telling import domain_of
from tests.four_domains import write

LOADS = {
    "tables": lambda path: tables.Plan.load(str(path)),
    "groups": groups.Plan.load,
    "places": places.Plan.load,
    "genome": genome.Plan.load,
}


def test_every_grammar_is_told_by_its_keys() -> None:
    """The needed keys of each grammar tell its domain; all it may have do not tell another one's."""
    for name in LOADS:
        for table in registered(name).grammars.values():
            needed = [key for key, each in table.keys.items() if each.default is NEEDED]
            assert domain_of(table.keys) == name or "max_race_codes" in needed, "a configuration of the Census is JSON"
            assert domain_of(needed) in (name, "")


def test_a_plan_of_another_domain_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    for stated, read in itertools.permutations(LOADS, 2):
        with pytest.raises(PlanError) as refused:
            LOADS[read](tmp_path / stated / "plan.toml")
        assert str(refused.value) == (
            f"plan.toml: plan is one of {stated}, not of {read}; write starling {stated} in place of starling {read},"
            f" or in Python a plan of starling.{stated}"
        )
