"""The exact counts that the mechanisms ask for, from files, against people one by one."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.genome.counts.study import count_study
from starling.genome.mechanism.selections import LocBlockMechanism
from starling.genome.plan import LocBlock
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.mechanism.distributions import FIFTH, TinyStudy, distribution_of
from tests.genome.studies import a_study, plan_of, tables_of, write_bed


@pytest.mark.parametrize("model", ["dominant", "recessive", "genotypic", "allelic"])
def test_exact_counts_of_files_answer_as_those_of_people(tmp_path: Path, model: Any) -> None:
    made = a_study(snps=8, people=90)
    plan = plan_of(made, tmp_path, model)
    cases = np.array([word == "2" for word in made.phenotypes])
    slow = TinyStudy(np.maximum(made.copies.T, 0), cases, model)
    fast = inspect(count_study(plan, open_genotypes(write_bed(made, tmp_path / "x"), plan))).value
    assert np.array_equal(fast.tables(), tables_of(made.copies, cases, model))
    pairs = np.array([[6, 1], [2, 3], [1, 6]])
    assert np.array_equal(fast.pair_tables(pairs), slow.pair_tables(pairs))
    query = LocBlock("r2", FIFTH, ("rs2", "rs6"), Fraction(1))
    mechanism = LocBlockMechanism(plan, query)
    assert distribution_of(mechanism.draw, fast) == distribution_of(mechanism.draw, slow)
