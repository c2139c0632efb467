"""A budget that protects hardly anybody is warned of where it is previewed and released, and nothing smaller is."""

import warnings
from fractions import Fraction
from typing import Any

import pytest

from starling import genome, groups, places, tables
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.most import LARGE, LargeBudgetWarning, warn_of_large

TREE: Any = {"land": {"east": ["e1", "e2"], "west": ["w1"]}}
STUDY = genome.plan([("rs1", "1", 1000, "A", "C"), ("rs2", "1", 2000, "G", "T")], people=500)


@pytest.mark.parametrize("kind", [Epsilon, Rho])
def test_what_is_above_the_limit_is_warned_of(kind: type[Epsilon] | type[Rho]) -> None:
    with pytest.warns(LargeBudgetWarning, match="protects hardly anybody"):
        warn_of_large(kind(LARGE[kind.measure] + Fraction(1, 9)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_large(kind(LARGE[kind.measure]))


def preview_of(domain: str, epsilon: int) -> object:
    """A preview of a small plan of each domain."""
    if domain == "tables":
        return tables.plan(["sex"], {"sex": ["F", "M"]}, epsilon=epsilon).preview()
    if domain == "groups":
        names = ["land", "state", "county"]
        return groups.plan(TREE, names, largest=7, groups=9, epsilon=epsilon).preview()
    if domain == "places":
        return places.plan((0, 0, 1, 1), (2, 2), epsilon=epsilon, method="singular", expected=9).preview()
    return STUDY.preview(genome.NumSig("g", 1, Fraction(epsilon)))


@pytest.mark.parametrize("domain", ["tables", "groups", "places", "genome"])
def test_previews_of_every_domain_warn(domain: str) -> None:
    with pytest.warns(LargeBudgetWarning, match="epsilon 100 is so large"):
        preview_of(domain, 100)


def test_a_release_warns_before_its_charge() -> None:
    plan = tables.plan(["sex"], {"sex": ["F", "M"]}, epsilon=10**9)
    with pytest.warns(LargeBudgetWarning):
        assert plan.release({"sex": ["F"]}).number(sex="F").estimate == 1
