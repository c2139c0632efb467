"""`starling genome export`: from a release to files of other programs, mistakes told in a line."""

from pathlib import Path

import pytest

from starling.release.payment import PaymentOptions
from tests.cli.conftest import Call, document, findings


@pytest.fixture(scope="module")
def exploration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of an exploration of an invented study."""
    from starling import genome

    folder = tmp_path_factory.mktemp("exported")
    made = genome.generate(people=400, snps=60, seed=3, out=folder / "study", causal={10: 6.0})
    study = genome.Study.open(
        folder / "study" / "plan.toml",
        made.records,
        folder=folder / "answers",
        payment=PaymentOptions(unvalidated=True),
    )
    study.num_sig(epsilon=1)
    return study.explore(epsilon=1000, most=2).folder


def test_each_format_is_written_with_what_it_is(call: Call, exploration: Path, tmp_path: Path) -> None:
    for form, beside in (("gwas-ssf", "-meta.yaml"), ("plink-assoc", ".README.txt")):
        out = tmp_path / form
        done = call("genome", "export", exploration, "--format", form, "--out", out)
        assert (done.exit_code, findings(done)) == (0, [])
        assert done.stdout.splitlines() == [f"p-values       {out}", f"what they are  {out}{beside}"]
        assert "s10" in out.read_text()
        assert "noisy" in Path(f"{out}{beside}").read_text()
        again = call("genome", "export", exploration, "--format", form, "--out", out)
        assert (again.exit_code, again.stdout) == (74, "")
        assert "exists" in again.stderr
    told = call("genome", "export", exploration, "--format", "gwas-ssf", "--out", tmp_path / "x", "--json")
    assert document(told) == {"data": str(tmp_path / "x"), "note": str(tmp_path / "x-meta.yaml")}


def test_a_release_without_p_values_or_of_tables_is_refused(
    call: Call, exploration: Path, released: Path, tmp_path: Path
) -> None:
    (number,) = exploration.parent.glob("num_sig-*")
    out = tmp_path / "out"
    for release, words in ((number, "holds no p-values"), (released, "is a release of tables")):
        done = call("genome", "export", release, "--format", "gwas-ssf", "--out", out)
        assert (done.exit_code, done.stdout) == (2, "")
        assert words in done.stderr
    wrong_key = call("genome", "export", exploration, "--format", "gwas-ssf", "--out", out, "--key", "0" * 64)
    assert wrong_key.exit_code == 5
    assert list(tmp_path.iterdir()) == []
