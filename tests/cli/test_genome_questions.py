"""What is taken where nothing is said, and what words of a command line mean."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.cli.genome_questions import delta_c_of, epsilon_of, snp_ranges_of
from starling.errors import ParameterError
from starling.genome.plan import Region
from starling.genome.plan.exploring import regions_of
from tests.genome.preview.conftest import a_plan


def test_the_first_test_that_can_be_asked_for() -> None:
    plan = a_plan(tests=("wald", "g", "fisher"))
    assert plan.first_test == "g"
    # Where it has no distance the question itself refuses it.
    assert replace(plan, tests=("wald",)).first_test == "wald"


def test_regions_stand_apart_by_commas() -> None:
    plan = replace(a_plan(), regions=(Region("a, b", "1", 1, 9), Region("c", "1", 10, 20)))
    assert regions_of(plan, None) is None
    assert regions_of(plan, "c, d") == ("c", "d")
    assert regions_of(plan, "a, b") == ("a, b",)


def test_amounts_are_exact() -> None:
    assert (epsilon_of("0.1"), epsilon_of("1/3")) == (Fraction(1, 10), Fraction(1, 3))
    assert (delta_c_of("r2", None), delta_c_of("dprime", None), delta_c_of("r2", "0.05")) == (
        Fraction(1, 5),
        Fraction(4, 5),
        Fraction(1, 20),
    )
    for text in ("0", "-1", "nan", "1e400", ""):
        with pytest.raises(ParameterError, match="--epsilon is not"):
            epsilon_of(text)
    with pytest.raises(ParameterError, match="--epsilon is written with an exponent; write 1000"):
        epsilon_of("1e3")


def test_stretches_are_written_by_their_ends() -> None:
    assert snp_ranges_of(()) == ()
    assert snp_ranges_of(("rs1..rs9", "rs20")) == (("rs1", "rs9"), ("rs20", "rs20"))
    for text in ("", "rs1..", "..rs1", "rs1..rs2..rs3"):
        with pytest.raises(ParameterError, match="--excluding is not a first and a last SNP"):
            snp_ranges_of((text,))
