"""Wrong input that parses, as an office would give it to the commands on tables: refused before the charge where it is public."""

from pathlib import Path

from starling.cli.progress import MARK
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
    refused = call(
        "tables", "release", "demo", *files, *payer.of("census"), "--out", tmp_path / "out", "--yes", "--unvalidated"
    )
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert "GRF-C.txt: TABBLKST lacks 44 (Rhode Island) of the plan's states; give the block file" in refused.stderr
    assert payer.charges() == before
    assert not (tmp_path / "out").exists()


def test_attack_a29_records_that_nobody_accepted_are_not_released(
    call: Call, inputs: Inputs, payer: Payer, tmp_path: Path
) -> None:
    """Sexes written M and F: nobody is counted, and the tables were published."""
    coded = tmp_path / "coded.txt"
    header, *lines = inputs.persons.read_text().splitlines()
    at = header.split("|").index("QSEX")
    fields = [line.split("|") for line in lines[:2000]]
    rows = ["|".join([*one[:at], "MF"[int(one[at]) - 1], *one[at + 1 :]]) for one in fields]
    coded.write_text("\n".join([header, *rows]) + "\n")
    files = ("--persons", coded, "--geography", inputs.geography)
    release = ("tables", "release", "demo", *files, *payer.of("census"), "--out", tmp_path / "out", "--yes")
    before = payer.charges()
    for _ in range(2):
        refused = call(*release)
        assert (refused.exit_code, refused.stdout) == (4, "")
        assert "records were not accepted as those of census, or were changed since" in refused.stderr
        found = call("tables", "validate", "demo", *files)
        assert found.exit_code == 65
        first = next(line for line in found.stderr.splitlines() if not line.startswith(MARK))
        assert first.startswith("starling: coded.txt: records are 2,00")
        assert "and none is counted; look at the columns" in first
        # Accepted, and then changed.
        assert call("tables", "validate", "demo", *files, "--accept", *payer.of("census"), "--yes").exit_code == 0
        coded.write_text(coded.read_text() + rows[0] + "\n")
    assert payer.charges() == before
    assert not (tmp_path / "out").exists()


def test_attack_a29_tables_about_other_records_are_not_told_as_answered_before(
    call: Call, inputs: Inputs, released: Path, tmp_path: Path
) -> None:
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("".join(inputs.persons.read_text().splitlines(keepends=True)[:-5]))
    words = ("tables", "release", "demo", "--out", released, "--unvalidated", "--yes")
    assert "answered before" in call(*words, *inputs.options).stdout
    other = call(*words, "--persons", fewer, "--geography", inputs.geography)
    assert (other.exit_code, other.stdout) == (74, "")
    assert "answers the same request about other records, or about these before they were changed" in other.stderr
