"""Wrong input that parses, as an office would give it to the commands on tables: refused before the charge where it is public."""

from pathlib import Path

from tests.cli.conftest import Call, Inputs, Payer


def test_attack_a29_a_state_that_the_block_file_lacks_is_refused_before_the_charge(
    call: Call, inputs: Inputs, payer: Payer, tmp_path: Path
) -> None:
    """Its people were charged for, and left out of the "nation" in silence."""
    fewer = tmp_path / "GRF-C.txt"
    lines = inputs.geography.read_text().splitlines(keepends=True)
    fewer.write_text("".join(line for line in lines if not line.startswith("44|")))
    files = ("--persons", inputs.persons, "--geography", fewer)
    before = payer.charges()
    refused = call("tables", "release", "demo", *files, *payer.of("census"), "--out", tmp_path / "out", "--yes")
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert "GRF-C.txt: TABBLKST lacks 44 (Rhode Island) of the plan's states; give the block file" in refused.stderr
    assert payer.charges() == before
    assert not (tmp_path / "out").exists()
