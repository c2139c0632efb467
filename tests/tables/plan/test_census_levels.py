"""Which geography levels lie below the state, and which in Puerto Rico."""

from starling.tables.plan import GeographyLevel


def test_nation_and_states_are_not_below_the_state() -> None:
    above = {geography.value for geography in GeographyLevel if not geography.below_state}
    assert above == {"USA", "STATE", "PR-STATE"}


def test_puerto_rico_has_no_nation_and_no_aiannh() -> None:
    assert [geography.value for geography in GeographyLevel if geography.puerto_rico] == [
        "PR-STATE",
        "PR-COUNTY",
        "PR-TRACT",
        "PR-PLACE",
    ]
