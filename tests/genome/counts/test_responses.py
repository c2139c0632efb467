"""What a further scan of a kept response reads: the response, genotypes and covariates, and no phenotype."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.arrays import Flags
from starling.genome.counts.responses import StoredCounts, read_stored, stored_content
from starling.genome.measurements import Scanned
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import Plan, Scan
from starling.genome.source import open_genotypes
from tests.genome.studies import Study, write_bed
from tests.genome.test_publish_responses import plans

TWO = Fraction(2)


def scans_of_all_phenotypes(folder: Path, draw: Callable[[StoredCounts], Scanned]) -> set[bytes]:
    """What scans of one response tell, over all phenotypes that six people can have."""
    random = np.random.default_rng(1)
    copies = random.integers(0, 3, (3, 6)).astype(np.int8)
    response, told = np.array([1, 0, 0, 1, 1, 0]), set()
    for words in product("12", repeat=6):
        study = Study(copies, (("A", "C"),) * 3, words, tuple(("1", 1000 * row) for row in (1, 2, 3)))
        write_bed(study, folder / "small")
        if not (folder / "first.toml").exists():
            plans(study, folder)
        plan = Plan.load(folder / "first.toml")
        drawn = draw(StoredCounts(plan, open_genotypes(folder / "small", plan), response, 2))
        told.add(b"".join(np.asarray(each).tobytes() for each in (drawn.ones, *drawn.tests)))
    return told


def test_a_further_scan_is_a_function_of_response_and_genotypes_alone(tmp_path: Path) -> None:
    """Over all 64 phenotypes of six people; a scan that reads them again tells them apart."""

    def again(study: StoredCounts) -> Scanned:
        told = mechanism_of(study.plan, Scan(TWO, 5)).draw(study)
        assert isinstance(told, Scanned)
        return told

    def reading(study: StoredCounts) -> Scanned:
        cases: Flags = study.genotypes.people.cases(6)
        return Scanned(int(cases.sum()), study.score_tests(cases.astype(np.float64)))

    assert len(scans_of_all_phenotypes(tmp_path, again)) == 1
    assert len(scans_of_all_phenotypes(tmp_path, reading)) == 64


def test_what_is_kept_is_read_again_and_never_looks_the_same(tmp_path: Path) -> None:
    study = Study(np.ones((3, 6), dtype=np.int8), (("A", "C"),) * 3, ("1",) * 6, tuple(("1", row) for row in (1, 2, 3)))
    write_bed(study, tmp_path / "small")
    plans(study, tmp_path)
    plan = Plan.load(tmp_path / "first.toml")
    people = open_genotypes(tmp_path / "small", plan).people
    response = np.array([1, 0, 0, 1, 1, 0])
    one, other = (stored_content(plan, people, response) for _ in range(2))
    assert one[32:] == other[32:]
    assert one[:32] != other[:32]
    assert one[-1:] == b"\x98"
    answers, values = read_stored(plan, people, one, 2)
    assert (answers.tolist(), values) == (response.tolist(), 2)
    several = stored_content(plan, people, response * 4, 5)
    answers, values = read_stored(plan, people, several)
    assert (answers.tolist(), values) == ([4, 0, 0, 4, 4, 0], 5)
    with pytest.raises(SourceError, match="was drawn of 5 intervals of the phenotype, and 2 are asked for"):
        read_stored(plan, people, several, 2)
