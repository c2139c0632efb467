"""A released scan, filtered from the release alone: what is left has the numbers of the release, and all else follows from it."""

import json
from collections.abc import Iterator
from fractions import Fraction
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling import genome
from starling.errors import OutputError, ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.inference.scans import APART, MEDIAN
from tests.genome.test_combining import opened, released


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GenomeRelease]:
    """One of six SNPs."""
    with opened(released(tmp_path_factory.mktemp("hospital"), 1)) as release:
        yield release


def test_without_choices_it_is_the_release_again(scan: GenomeRelease, tmp_path: Path) -> None:
    again = scan.filter()
    assert again.answer == scan.answer
    for name in scan.names:
        assert again.tables[name].equals(scan.table(name))
    assert again.plan.p_threshold == scan.plan.p_threshold
    data = again.export(tmp_path / "again.glm", "plink-glm")[0]
    assert data.read_bytes() == scan.export(tmp_path / "whole.glm", "plink-glm")[0].read_bytes()


@pytest.mark.examples(20)
@given(st.data())
def test_every_choice_against_a_plain_loop(scan: GenomeRelease, data: st.DataObject) -> None:
    rows = scan.estimated.rows
    assert rows is not None
    frequencies = [min(float(f), 1 - float(f)) for f in scan.drawn.tests.frequencies]  # type: ignore[union-attr]
    least = data.draw(st.sampled_from([Fraction(0), *(Fraction(f).limit_denominator(10**9) for f in frequencies)]))
    calls = data.draw(st.sampled_from([0, *map(int, rows.calls)]))
    at = data.draw(st.integers(0, 5))
    snps, limit = scan.plan.snps, data.draw(st.sampled_from([None, "0.2", "5e-2", Fraction(1, 100)]))
    place, position = snps.chromosomes[at], int(snps.positions[at])
    kind = data.draw(st.sampled_from([None, 0, 1, 2]))
    regions = {None: (), 0: (place,), 1: (f"{place}:1-{position}",), 2: (f"chr{place}:{position}-{position}",)}[kind]
    low = position if kind == 2 else 1
    high = position if kind else 10**9
    wanted = [
        index
        for index in range(6)
        if (kind is None or (snps.chromosomes[index] == place and low <= int(snps.positions[index]) <= high))
        and frequencies[index] >= float(least)
        and rows.calls[index] >= calls
    ]
    choices: dict[str, Any] = {"regions": regions, "min_frequency": least, "min_calls": calls, "threshold": limit}
    if not wanted:
        with pytest.raises(ParameterError, match="has no such SNP"):
            scan.filter(**choices)
        return
    left = scan.filter(**choices)
    table = left.tables["scan"]
    assert table.equals(scan.table("scan").take(wanted))
    threshold = float(Fraction(limit) if limit is not None else scan.plan.p_threshold)
    known = [index for index in wanted if not np.isnan(rows.z[index])]
    below = [index for index in known if rows.log10_p[index] <= round(log10(threshold), 6)]
    assert (left.answer.tested, left.answer.significant) == (len(known), len(below))
    if known:
        assert left.answer.inflation == pytest.approx(np.median(rows.z[known] ** 2) / MEDIAN, abs=1e-4)
    breaks = [
        number
        for number, index in enumerate(below)
        if number == 0
        or snps.chromosomes[below[number - 1]] != snps.chromosomes[index]
        or snps.positions[index] - snps.positions[below[number - 1]] > APART
    ]
    assert len(left.answer.regions) == len(breaks)


def test_the_folder_names_the_release_and_has_the_same_bytes_again(scan: GenomeRelease, tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"regions": ["1"], "threshold": "0.3"}
    folders = [scan.filter(**chosen).write(tmp_path / name) for name in ("a", "b")]
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert files[0] == files[1]
    origin = json.loads(files[0]["origin.json"])
    assert (
        origin["releases"][0]["manifest_sha256"] == json.loads((scan.path / "SIGNATURE").read_text())["manifest_sha256"]
    )
    assert (origin["regions"], origin["threshold"], origin["min_frequency"]) == (["1"], "0.3", "0")
    assert origin["unprotected"] == "Genotypes, covariates and who takes part are not protected"
    page = files[0]["index.html"].decode()
    assert page.index("are not protected") < page.index("of the scan are left") < page.index("<svg")
    with pytest.raises(OutputError, match="exists"):
        scan.filter().write(folders[0])


def test_what_makes_no_sense_is_refused(scan: GenomeRelease, tmp_path: Path) -> None:
    wrong: dict[str, list[Any]] = {
        "min_frequency": ["0.6", "-0.1", 0.01, "x"],
        "min_calls": [-1, 81],
        "threshold": ["0", "0.5", "1e-300", 0.05],
        "regions": ["99", "1:5", "1:a-b", "1:-5", ["1", ""]],
    }
    for field, values in wrong.items():
        for value in values:
            with pytest.raises(ParameterError) as problem:
                scan.filter(**{field: value})
            assert problem.value.problems[0].field == field
    other = released(tmp_path, 4, genome.NumSig("score", 1, Fraction(1)))
    with (
        opened(other) as release,
        pytest.raises(ParameterError, match="is no scan; name a release of starling genome scan"),
    ):
        release.filter()
