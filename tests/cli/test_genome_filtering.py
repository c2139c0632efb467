"""A released scan is filtered on the command line as in Python, and each way to scan has its own options."""

from pathlib import Path

from tests.cli.conftest import Call, document
from tests.genome.test_combining import opened, released


def test_a_release_is_scanned_again_as_in_python(call: Call, tmp_path: Path) -> None:
    scan = released(tmp_path, 1)
    with opened(scan) as release:
        written = release.filter(regions=["1"], min_frequency="0.1", min_calls=10, threshold="1e-2").write(
            tmp_path / "python"
        )
    choices = ("--region", "1", "--min-frequency", "0.1", "--min-calls", "10", "--threshold", "1e-2")
    result = call("genome", "scan", "--from", scan, *choices, "--out", tmp_path / "shell")
    assert result.exit_code == 0, result.stderr
    assert "charged  nothing" in result.stdout
    for each in written.iterdir():
        assert (tmp_path / "shell" / each.name).read_text() == each.read_text()
    found = document(call("genome", "scan", "--from", scan, "--out", tmp_path / "whole", "--json"))
    assert (found["snps"], found["release"]) == (6, scan.name)
    other = tmp_path / "other"
    refused = call("genome", "scan", "--from", scan, "--key", "0" * 64, "--out", other)
    assert (refused.exit_code, other.exists()) == (5, False)


def test_each_way_to_scan_has_its_own_options(call: Call, study: Path, tmp_path: Path) -> None:
    def refused(*words: object) -> str:
        result = call("genome", "scan", *words, "--out", tmp_path / "never")
        assert (result.exit_code, (tmp_path / "never").exists()) == (2, False)
        return result.stderr

    plan, genotypes = study / "plan.toml", ("--genotypes", study / "study")
    assert "--epsilon is of a scan that is charged; leave it out, or leave out --from" in refused(
        "--from", "x", "--epsilon", "1"
    )
    assert "PLAN is of a scan that is charged" in refused(plan, "--from", "x")
    assert "--region is of a scan of a release; add --from RELEASE" in refused(plan, *genotypes, "--region", "1")
    assert "Missing argument 'PLAN'" in refused()
    assert "Missing option '--genotypes'" in refused(plan)
