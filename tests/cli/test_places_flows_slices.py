"""The command on releases of flows by slices: asked by slice, and one less another."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli.places import places
from starling.places.flows.publish import FLOWS
from starling.release.payment import PaymentOptions
from tests.places.flows.worlds import BY_MONTH, MONTHS, plan


@pytest.mark.slow
def test_a_release_by_slices_is_asked_by_slice(tmp_path: Path) -> None:
    sliced = tmp_path / "out"
    FLOWS.release(plan(tmp_path, **BY_MONTH), MONTHS, sliced, payment=PaymentOptions(unvalidated=True))

    def said(*arguments: object) -> str:
        result = CliRunner().invoke(places, [str(each) for each in arguments])
        return f"{result.exit_code} {result.output} {result.exception}"

    assert "February" in said("flows", sliced, "--slice", "February", "--from", "1")
    both = said("flows", sliced, "--slice", "January", "--minus", "February")
    assert both.index("January") < both.index("less those from") < both.index("February")
    assert said("flows", sliced, "--k", 2, "--slice", "January").startswith("0 ")
    assert said("flows", sliced, "--k", 2, "--minus", "January").startswith("2 ")
    assert "is missing, and the release has several" in said("flows", sliced)
    assert said("export", sliced, "--slice", "February", "--out", tmp_path / "exported").startswith("0 ")
    assert "--h3 is of points on a grid" in said("export", sliced, "--h3", 5, "--out", tmp_path / "more")
