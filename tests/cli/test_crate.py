"""`starling crate`: a folder that catalogues read, made of a release, mistakes told in a line."""

from pathlib import Path

import starling
from tests.cli.conftest import Call, document
from tests.crates import graph_of, problems
from tests.four_domains import release, write

SAID = ("--license", "https://example.org/licence", "--publisher", "Office")


def test_a_crate_is_written_and_verifies(call: Call, tmp_path: Path) -> None:
    release(write(tmp_path), "tables")
    here, out = tmp_path / "tables" / "out", tmp_path / "crate"
    more = ("--agent", "Ada", "--spatial", "Town", "--temporal", "2025")
    signer = starling.open_release(here).signer.fingerprint
    assert document(call("crate", here, *SAID, *more, "--out", out, "--key", signer, "--json")) == {"written": str(out)}
    assert not problems(out)
    assert graph_of(out)["#place"]["name"] == "Town"
    assert call("verify", out / "release", "--key", signer).exit_code == 7
    again = call("crate", here, *SAID, "--out", out)
    assert (again.exit_code, "exists" in again.stderr) == (74, True)
    assert call("crate", here, *SAID, "--out", tmp_path / "x", "--key", "0" * 64).exit_code == 5
    assert call("crate", here, "--license", "CC", "--publisher", "x", "--out", tmp_path / "x").exit_code == 2
    assert not (tmp_path / "x").exists()
