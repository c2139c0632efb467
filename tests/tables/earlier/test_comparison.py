"""Two releases of the same people differ by their noise alone, of other people by more; what is told is what its rule says."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from starling import tables
from starling.errors import IntegrityError, ParameterError
from starling.release.payment import PaymentOptions
from starling.tables import Plan
from starling.tables.earlier.comparison import DIFFERS, compare, schema
from starling.tables.generate import generate
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.publish import release
from tests.four_domains import TABLES
from tests.tables.small import small_plan


class Releases(NamedTuple):
    """Two of the same people, one of others."""

    first: Path
    second: Path
    other: Path


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("releases")
    plan = small_plan("rho", thresholds=(50, 200, 400))
    for name, persons in (("same", 2000), ("others", 2600)):
        output = generate(plan, persons=persons, seed=1, out=folder / name)
        release(
            plan,
            output.records,
            output.files["geography"],
            folder / f"{name}-1",
            payment=PaymentOptions(unvalidated=True),
        )
        if name == "same":
            release(
                plan,
                output.records,
                output.files["geography"],
                folder / f"{name}-2",
                payment=PaymentOptions(unvalidated=True),
            )
    return Releases(folder / "same-1", folder / "same-2", folder / "others-1")


@pytest.mark.slow
@pytest.mark.statistical
def test_the_same_people_differ_by_noise_alone(releases: Releases) -> None:
    """No truth differs, so anything told is false: the chance of telling any is at most 1 - confidence in each of two families,
    here 10^-6: a false alarm in 500,000 runs."""
    result = compare(releases.first, releases.second, confidence="0.999999")
    assert [family.significant for family in result.families] == [0, 0]
    assert [family.number for family in result.families] == ["total", "cell"]
    assert all(family.tests >= 5 for family in result.families)
    assert result.differences == ()


def test_other_people_differ_and_every_number_told_has_an_interval_without_0(releases: Releases) -> None:
    parts: list[pa.Table] = []
    result = compare(releases.first, releases.other, keep=parts.append)
    rows = pa.concat_tables(parts)
    assert rows.schema == schema(SEX_BY_AGE)
    differing = rows.filter(pc.equal(rows["status"], DIFFERS))
    assert len(differing) == sum(family.significant for family in result.families) == len(result.differences) > 0
    numbers = {name: differing[name].to_numpy() for name in ("first", "second", "difference", "lower", "upper")}
    np.testing.assert_array_equal(numbers["difference"], numbers["second"] - numbers["first"])
    assert ((numbers["lower"] > 0) | (numbers["upper"] < 0)).all()
    np.testing.assert_array_equal(numbers["upper"] - numbers["difference"], numbers["difference"] - numbers["lower"])
    surest = [each.sureness for each in result.differences]
    assert surest == sorted(surest, reverse=True)


def test_the_order_of_the_two_turns_signs_alone(releases: Releases) -> None:
    there, back = (compare(*pair) for pair in ((releases.first, releases.other), (releases.other, releases.first)))
    assert there.families == back.families
    one, other = ({each.label: each for each in result.differences} for result in (there, back))
    assert one.keys() == other.keys()
    assert all((one[label].lower, one[label].upper) == (-other[label].upper, -other[label].lower) for label in one)


def test_people_are_not_known_of_ledgers_inside(releases: Releases) -> None:
    assert compare(releases.first, releases.second).people.startswith("not known")


@pytest.mark.parametrize("confidence", ["0.5", "1", "2", "x"])
def test_a_confidence_out_of_range_is_refused(releases: Releases, confidence: str) -> None:
    with pytest.raises(ParameterError, match="confidence"):
        compare(releases.first, releases.second, confidence=confidence)


def test_one_release_twice_is_refused(releases: Releases) -> None:
    with pytest.raises(ParameterError, match="is the first release again"):
        compare(releases.first, releases.first)


def test_what_is_no_release_is_refused(releases: Releases, tmp_path: Path) -> None:
    with pytest.raises(IntegrityError):
        compare(releases.first, tmp_path)


def test_totals_of_a_plan_without_detail_differ_too(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TABLES)
    plan = Plan.load(str(tmp_path / "plan.toml"))
    for name, persons in (("few", 3), ("many", 3000)):
        (tmp_path / f"{name}.csv").write_text("sex,age\n" + "F,17\n" * persons)
        payment = PaymentOptions(unvalidated=True)
        tables.release(plan, tmp_path / f"{name}.csv", out=tmp_path / name, payment=payment)
    # At an epsilon of 1 a noise of 1,000 does not occur: its chance is below 1e-400. Totals that are 0 in both are told by mistake
    # with a chance of at most 1 - confidence: 10^-6.
    differences = compare(tmp_path / "few", tmp_path / "many", confidence="0.999999").differences
    assert len(differences) == 2
