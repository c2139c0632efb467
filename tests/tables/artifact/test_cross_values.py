"""Numbers of rows of cross tables: sums that hold by construction have no noise, and others err by what a row says."""

from math import sqrt

from starling.tables.analysis import TablesRelease
from starling.tables.plan.residuals import variances

VALUES = {"sex": "FM", "age": ("0 to 17", "18 to 64", "65 to 99"), "school": "abc"}


def test_parts_add_up_to_the_whole_without_any_noise(cross_release: TablesRelease) -> None:
    whole = cross_release.number()
    assert abs(float(whole.exact) - 216) < 40
    for name, values in VALUES.items():
        apart = sum((cross_release.number(**{name: value}) for value in values), start=-whole)
        assert apart.exact == apart.standard_deviation == 0
    towns = cross_release.number(town="ta") + cross_release.number(town="tb") - whole
    assert towns.exact == towns.standard_deviation == 0
    wards = cross_release.number(ward=["w0", "w1"], sex="F") - cross_release.number(town="ta", sex="F")
    assert wards.exact == wards.standard_deviation == 0
    assert cross_release.number(sex=["F", "M"], age="0 to 17").exact == cross_release.number(age="0 to 17").exact


def test_a_row_errs_by_what_it_says_and_sums_by_their_own(cross_release: TablesRelease) -> None:
    row = cross_release.rows("sex_by_age", region_id="w1", sex="F", age="0 to 17").to_pylist()[0]
    number = cross_release.number(ward="w1", sex="F", age="0 to 17")
    assert float(number.exact) == row["count"]
    assert abs(number.standard_deviation - row["standard_deviation"]) < 1e-12
    assert number == cross_release.number("sex_by_age", region_id="w1", sex="F", age="0 to 17")
    assert number.lower >= row["lower"] - 1
    assert number.upper <= row["upper"] + 1
    assert len(cross_release.numbers("sex", region_type="ward")) == 6
    share = cross_release.number(sex="F") / cross_release.number()
    assert share.lower < share.estimate < share.upper
    towns = variances(cross_release.plan.cross_shape, cross_release.plan.cross.shares)[0][0]  # type: ignore[union-attr]
    assert 0 < cross_release.number().standard_deviation <= sqrt(2 * towns) * (1 + 1e-12)
