from pathlib import Path

from starling.planfile.values import toml_of
from tests.cli.conftest import Call, document
from tests.tables.test_publish_custom import VALUES


def test_generate_tells_what_it_made(call: Call, tmp_path: Path) -> None:
    words = ("tables", "generate", "demo", "--persons", "50", "--out", tmp_path / "made", "--json")
    found = document(call(*words, "--states", "10", "--format", "parquet", "--seed", "7"))
    assert found["sizes"]["persons"] == 50
    assert Path(found["persons"]).is_file()
    again = call(*words)
    assert (again.exit_code, document(again)["error"]["kind"]) == (74, "OutputError")


def test_generate_invents_records_of_ones_own(call: Call, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(toml_of(VALUES))
    words = ("tables", "generate", tmp_path / "plan.toml", "--out", tmp_path / "made")
    made = call(*words)
    named = {"persons": "made/records.csv", "plan": "plan.toml", "note": "made/GENERATED.json"}
    facts = [f"{name:<10}{tmp_path / path}" for name, path in named.items()]
    assert made.stdout.splitlines() == [*facts, "invented  6 areas, 3,000 persons, 3,000 records"]
    for wrong in (("--states", "10"), ("--land-for", "7")):
        refused = call(*words[:3], "--out", tmp_path / "more", *wrong)
        assert refused.exit_code == 2
        assert f"{wrong[0].removeprefix('--')} is of the Census" in refused.stderr
    assert "say how many" in call("tables", "generate", "demo", "--out", tmp_path / "more").stderr
    assert not (tmp_path / "more").exists()
