"""The command on releases of flows, signed by another than was named."""

from pathlib import Path

from click.testing import CliRunner

from starling.cli.places import places
from starling.places.flows.publish import FLOWS
from starling.release.payment import PaymentOptions
from tests.places.flows.worlds import MANY, plan


def test_another_signer_is_refused(tmp_path: Path) -> None:
    FLOWS.release(plan(tmp_path), MANY, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    asked = ["flows", str(tmp_path / "out")]
    assert CliRunner().invoke(places, asked).exit_code == 0
    assert CliRunner().invoke(places, [*asked, "--key", "0" * 64]).exit_code != 0
