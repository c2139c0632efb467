"""What is said of invented records."""

from pathlib import Path

from starling.release.described import Generated


def sizes(**numbers: int) -> str:
    return Generated({}, Path("note"), numbers)._facts()[-1][1]


def test_one_is_counted_as_one() -> None:
    one = sizes(people=1, SNPs=1, causal_SNPs=1, leaves=1, counties=1, aiannh_areas=1)
    assert one == "1 person, 1 SNP, 1 causal SNP, 1 leaf, 1 county, 1 aiannh area"
    assert sizes(counties=2000, leaves=0) == "2,000 counties, 0 leaves"
