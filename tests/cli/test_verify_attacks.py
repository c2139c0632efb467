"""Forged releases and hollow verifications (attacks A22 and A28), tried through the Python API and the command line."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import IntegrityError
from starling.verification import Outcome
from tests.cli.conftest import Call
from tests.tables.bundles import KEY, OTHER, Bundle, make


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release charged to a ledger; not to be changed."""
    return make(tmp_path_factory.mktemp("made"), allow_negative=False)


@pytest.fixture
def copied(made: Bundle, tmp_path: Path) -> Bundle:
    return made.copy(tmp_path / "copy")


def said(bundle: Bundle, **options: Any) -> list[str]:
    """The findings without their fixes."""
    return [str(finding).split(";")[0] for finding in starling.verify(bundle.folder, **options).findings]


def forged(bundle: Bundle, **stated: Any) -> None:
    """Signed by a forger's own key, and said to be charged to a ledger of that key."""
    bundle.edit("privacy.json", lambda said: said.update(stated))
    bundle.edit("privacy.json", lambda said: said["account"]["ledger"].update(signer=OTHER.public.text))
    bundle.resign(OTHER)


def test_attack_a28_a_forgers_own_key_without_a_ledger_is_never_verified(copied: Bundle, call: Call) -> None:
    forged(copied, software="starling 99.0")
    found = starling.verify(copied.folder)
    assert (found.outcome, found.findings) == (Outcome.CONSISTENT, ())
    shown = call("verify", copied.folder)
    assert shown.exit_code == 7
    head = shown.stdout.splitlines()[0]
    assert head.startswith(f"consistent  {copied.folder}: ")
    assert "verified" not in shown.stdout
    for left_open in ("whose key signed it", "the charge", "the wording of report, registry entry and data package"):
        assert left_open in head
    as_json = json.loads(call("verify", copied.folder, "--json").stdout)
    assert (as_json["outcome"], as_json["not_checked"]) == ("consistent", list(found.left_open))


def test_attack_a28_the_publishers_key_and_ledger_refuse_the_forgers(copied: Bundle, call: Call) -> None:
    forged(copied, software="starling 99.0")
    for words in (("--key", KEY.public.fingerprint), ("--ledger", copied.url)):
        result = call("verify", copied.folder, *words)
        assert (result.exit_code, result.stdout.splitlines()[0].split()[0]) == (5, "failed")


def test_attack_a28_what_another_version_wrote_is_not_verified_even_with_key_and_ledger(
    copied: Bundle, call: Call
) -> None:
    copied.edit("privacy.json", lambda said: said.update(software="starling 99.0"))
    copied.resign()
    found = starling.verify(copied.folder, key=KEY.public)
    assert found.left_open == (
        "the wording of report, registry entry and data package, by another version of Starling",
        "the charge",
    )


def lying(bundle: Bundle, name: str, old: str, new: str) -> None:
    path = bundle.folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


LIES = {
    "loss in the head of the report": ("report.html", "</dt><dd>ε = 4<", "</dt><dd>ε = 0.1<"),
    "loss in the formula": ("report.html", "<mn>4</mn>", "<mn>0.1</mn>"),
    "epsilon at delta": ("report.html", "ε = 4 at δ", "ε = 0.1 at δ"),
    "unit in the report": ("report.html", "<dd>one person", "<dd>one household"),
    "parameter in the entry": ("registry.yaml", "epsilon: 4", "epsilon: 0.1"),
    "amounts in words in the entry": ("registry.yaml", "epsilon 4 when", "epsilon 0.1 when"),
    "unit in the entry": ("registry.yaml", "Person-level", "Household-level"),
    "variant in the entry": ("registry.yaml", "Pure DP", "Zero-concentrated DP"),
}


@pytest.mark.parametrize("version", ["starling 99.0", None])
@pytest.mark.parametrize(("name", "old", "new"), LIES.values(), ids=LIES)
def test_attack_a28_a_page_that_states_another_amount_fails_whatever_version_wrote_it(
    copied: Bundle, version: str | None, name: str, old: str, new: str
) -> None:
    if version:
        copied.edit("privacy.json", lambda said: said.update(software=version))
    lying(copied, name, old, new)
    copied.resign()
    (finding,) = said(copied)
    assert finding.startswith(name)


HIDDEN = {
    "script": '<script>document.title = "exact"</script>',
    "event": '<p onclick="x">More</p>',
    "reference": '<img src="https://example.org/x.png">',
    "foreign object": '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><p>exact</p></foreignObject></svg>',
}


@pytest.mark.parametrize("version", ["starling 99.0", None])
@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_attack_a28_a_picture_that_runs_or_fetches_something_fails(
    copied: Bundle, version: str | None, hidden: str
) -> None:
    if version:
        copied.edit("privacy.json", lambda said: said.update(software=version))
    path = copied.folder / "report.html"
    text = path.read_text()
    path.write_text(text.replace("</svg>", f"{hidden}</svg>", 1))
    copied.resign()
    (finding,) = said(copied)
    assert finding.startswith("report.html holds ")


def test_attack_a28_a_data_package_that_calls_the_numbers_exact_fails(copied: Bundle) -> None:
    def lie(package: dict[str, Any]) -> None:
        package["resources"][0]["title"] = "Exact counts of all residents, without noise"

    copied.edit("datapackage.json", lie)
    copied.resign()
    assert said(copied) == ["datapackage.json says other words of the files than the plan gives"]


def test_attack_a28_a_key_that_stands_twice_fails_on_load(copied: Bundle, call: Call) -> None:
    lying(copied, "privacy.json", '{\n  "format"', '{\n  "cost": {"add-remove": {"epsilon": "1/100"}},\n  "format"')
    copied.resign()
    with pytest.raises(IntegrityError, match="one form"):
        starling.open_release(copied.folder)
    assert call("verify", copied.folder).exit_code == 5


def test_attack_a28_notes_in_a_parquet_file_and_empty_folders_fail(copied: Bundle) -> None:
    path = copied.folder / "data" / "t1.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata({"note": "Ann Smith has it"}), path, compression="zstd")
    copied.resign()
    assert said(copied) == ["data/t1.parquet holds notes beside its columns, which no file of a release has"]
    (copied.folder / "Ann Smith has it").mkdir()
    assert said(copied)[0] == "Ann Smith has it is an empty folder"
