"""What a further scan of a kept response reads: the response, genotypes and covariates, and no phenotype."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.arrays import Flags
from starling.genome.counts.responses import OTHERS, StoredCounts, identities, read_stored, stored_content
from starling.genome.measurements import SavedResponse, Scanned
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import Plan, Scan
from starling.genome.source import open_genotypes
from starling.genome.source.people import People
from tests.genome.studies import Study, plan_of, write_bed
from tests.genome.test_publish_responses import plans

TWO = Fraction(2)


def scans_of_all_phenotypes(folder: Path, draw: Callable[[StoredCounts], Scanned]) -> set[bytes]:
    """What scans of one response tell, over all phenotypes that six people can have."""
    random = np.random.default_rng(1)
    copies = random.integers(0, 3, (3, 6)).astype(np.int8)
    response, told = SavedResponse(np.array([1, 0, 0, 1, 1, 0]), 2), set()
    for words in product("12", repeat=6):
        study = Study(copies, (("A", "C"),) * 3, words, tuple(("1", 1000 * row) for row in (1, 2, 3)))
        write_bed(study, folder / "small")
        if not (folder / "first.toml").exists():
            plans(study, folder)
        plan = Plan.load(folder / "first.toml")
        drawn = draw(StoredCounts(plan, open_genotypes(folder / "small", plan), response))
        told.add(b"".join(np.asarray(each).tobytes() for each in (drawn.ones, *drawn.tests)))
    return told


@pytest.mark.slow
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
    one, other = (stored_content(plan, people, SavedResponse(response, 2)) for _ in range(2))
    assert one[32:] == other[32:]
    assert one[:32] != other[:32]
    assert one[-1:] == b"\x98"
    kept = read_stored(plan, people, one, Scan(TWO))
    assert (kept.answers.tolist(), kept.values, kept.median) == (response.tolist(), 2, None)
    assert b"median" not in one
    several = stored_content(plan, people, SavedResponse(response * 4, 5))
    kept = read_stored(plan, people, several)
    assert (kept.answers.tolist(), kept.values) == ([4, 0, 0, 4, 4, 0], 5)
    with pytest.raises(SourceError, match="was drawn of 5 intervals of the phenotype, and 2 are asked for"):
        read_stored(plan, people, several, Scan(TWO))


@pytest.mark.parametrize("values", [2, 5])
def test_a_median_is_kept_with_its_response(tmp_path: Path, values: int) -> None:
    """Also the first step, and one cost of it alone reads it."""
    study = Study(np.ones((3, 6), dtype=np.int8), (("A", "C"),) * 3, ("1",) * 6, tuple(("1", row) for row in (1, 2, 3)))
    write_bed(study, tmp_path / "small")
    plans(study, tmp_path)
    plan = Plan.load(tmp_path / "first.toml")
    people = open_genotypes(tmp_path / "small", plan).people
    held = SavedResponse(np.array([1, 0, 0, 1, 1, 0]), values)
    for median in (0, 17):
        held = replace(held, median_epsilon=Fraction(1, 3), median=median)
        content = stored_content(plan, people, held)
        kept = read_stored(plan, people, content, Scan(TWO, 5, values, Fraction(1, 3)))
        assert (kept.answers.tolist(), kept.values, kept.median_epsilon, kept.median) == (
            *(held.answers.tolist(), values),
            *(Fraction(1, 3), median),
        )
        for part in (None, Fraction(1, 4)):
            with pytest.raises(
                SourceError, match=f"was drawn at median_epsilon 1/3, and {part or 'none'} is asked for"
            ):
                read_stored(plan, people, content, Scan(TWO, 5, values, part))
    without = stored_content(plan, people, SavedResponse(held.answers, values))
    with pytest.raises(SourceError, match="was drawn at median_epsilon none, and 1/3 is asked for"):
        read_stored(plan, people, without, Scan(TWO, 5, values, Fraction(1, 3)))


def test_a_phenotype_is_known_by_its_column_and_not_by_the_name_of_its_file(tmp_path: Path) -> None:
    """Renamed and corrected it is the same one; another trait in a file of the same name is another; without a header the name decides."""
    study = Study(np.ones((3, 6), dtype=np.int8), (("A", "C"),) * 3, ("1",) * 6, tuple(("1", row) for row in (1, 2, 3)))
    write_bed(study, tmp_path / "small")
    plans(study, tmp_path)
    plan = Plan.load(tmp_path / "first.toml")

    def people(name: str, header: str, case: str = "1") -> People:
        lines = [f"f p{row} {case}\n" for row in range(6)]
        (tmp_path / name).write_text(header + "".join(lines))
        return open_genotypes(tmp_path / "small", plan, tmp_path / name).people

    named = stored_content(plan, people("a.txt", "FID IID asthma\n"), SavedResponse(np.zeros(6, dtype=np.int64), 2))
    read_stored(plan, people("renamed.txt", "#FID IID asthma gout\n", "2"), named)
    with pytest.raises(SourceError, match="is of the column 'asthma' of phenotypes, and 'gout' is given"):
        read_stored(plan, people("a.txt", "FID IID gout\n"), named)
    with pytest.raises(SourceError, match="is of the column 'asthma' of phenotypes, and None is given"):
        read_stored(plan, people("a.txt", ""), named)
    bare = stored_content(plan, people("a.txt", ""), SavedResponse(np.zeros(6, dtype=np.int64), 2))
    read_stored(plan, people("a.txt", "", "2"), bare)
    with pytest.raises(SourceError, match=r"was drawn of the phenotypes in 'a\.txt', and 'b\.txt' is given"):
        read_stored(plan, people("b.txt", ""), bare)


def test_what_a_response_is_of_is_compared_when_files_are_registered(tmp_path: Path) -> None:
    """The list of people in its order and the column, and never a phenotype; nothing where persons are protected."""
    study = Study(np.ones((3, 6), dtype=np.int8), (("A", "C"),) * 3, ("1",) * 6, tuple(("1", row) for row in (1, 2, 3)))
    prefix = write_bed(study, tmp_path / "small")
    plans(study, tmp_path)
    plan = Plan.load(tmp_path / "first.toml")

    def kept(header: str, case: str = "1", of: Plan = plan) -> dict[str, str]:
        (tmp_path / "a.txt").write_text(header + "".join(f"f p{row} {case}\n" for row in range(6)))
        return identities(of, open_genotypes(prefix, of, tmp_path / "a.txt").people)

    first = kept("FID IID asthma\n")
    assert set(first) == set(OTHERS.values())
    assert kept("FID IID asthma\n", "2") == first
    assert {words for words, digest in kept("FID IID gout\n").items() if digest != first[words]} == {OTHERS["column"]}
    bare = {words for words, digest in kept("").items() if digest != first[words]}
    assert bare == {OTHERS["column"], OTHERS["file"]}
    fam = Path(f"{prefix}.fam")
    fam.write_text("".join(reversed(fam.read_text().splitlines(keepends=True))))
    assert {words for words, digest in kept("FID IID asthma\n").items() if digest != first[words]} == {OTHERS["people"]}
    assert kept("FID IID asthma\n", of=plan_of(study, tmp_path)) == {}
