"""The page of an evaluation lies outside of the release that it is of."""

from pathlib import Path

from tests.cli.conftest import Call, Inputs


def test_the_command_writes_the_page_outside_of_the_release_alone(
    call: Call, inputs: Inputs, released: Path, tmp_path: Path
) -> None:
    words = ("tables", "evaluate", "demo", "--release", released, *inputs.options)
    made = call(*words, "--out", tmp_path / "mine")
    assert made.exit_code == 0, made.output
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["NOT-PRIVATE-evaluation.html"]
    refused = call(*words, "--out", released / "data")
    assert refused.exit_code == 4
    assert call("verify", released).exit_code == 7
