"""Forged releases and hollow verifications (attacks A22 and A28), tried through the Python API and the command line.

The forger of a release has all that is public, and a key of their own; the publisher of bad faith has their own key and ledger.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import IntegrityError
from starling.ledger.chain import START, digest
from starling.ledger.rules import Request, canonical
from starling.release.manifest import manifest, sign
from starling.verification import Outcome
from tests.cli.conftest import Call
from tests.tables.bundles import KEY, OTHER, Bundle, make, write_paid


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


@pytest.mark.parametrize("signs", ["nobody", "a forger", "the publisher"])
def test_attack_a22_a_cell_that_was_edited_is_found_whoever_signs(copied: Bundle, call: Call, signs: str) -> None:
    path = copied.folder / "data" / "t1.parquet"
    table = pq.read_table(path)
    counts = table["count"].to_pylist()
    counts[0] += 7
    pq.write_table(
        table.set_column(table.column_names.index("count"), "count", pa.array(counts)), path, compression="zstd"
    )
    if signs == "nobody":
        copied.rehash()
    else:
        copied.resign(OTHER if signs == "a forger" else KEY)
    result = call("verify", copied.folder, "--ledger", copied.url, "--key", KEY.public.fingerprint)
    assert (result.exit_code, result.stdout.split()[0]) == (5, "failed")
    assert "data/t1.parquet: column count is in row 1 not what the shipped measurements give" in result.stderr


def test_attack_a22_a_swapped_neighbour_relation_is_found_whoever_signs(copied: Bundle, call: Call) -> None:
    def swap(stated: dict[str, Any]) -> None:
        stated["neighbours"] = {"change": "replace-one", "unit": "person", "words": "replace one person"}
        reason = "the number of units is public, so that no unit can be added or removed"
        stated["cost"] = {"add-remove": None, "add-remove_reason": reason, "replace-one": stated["cost"]["add-remove"]}

    copied.edit("privacy.json", swap)
    copied.resign()
    result = call("verify", copied.folder, "--ledger", copied.url, "--key", KEY.public.fingerprint)
    assert (result.exit_code, result.stdout.split()[0]) == (5, "failed")
    for field in ("neighbours", "cost"):
        assert f"privacy.json: {field} is not what the public plan in the folder gives" in result.stderr


def rewritten(events: list[dict[str, Any]]) -> list[str]:
    """An exported ledger whose numbers and hashes fit each other again, as a forger would make them."""
    head, lines = START, []
    for seq, event in enumerate(events, 1):
        head = digest(head, seq, event["kind"], event["at"], canonical(event["body"]))
        lines.append(json.dumps(event | {"seq": seq, "hash": head}))
    return lines


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The second release of a ledger, whose first one nobody published."""
    first = make(tmp_path_factory.mktemp("two"))
    account = first.ledger.account(Request("ann", "request-2", "census", '{"again":"1"}'))
    folder = first.folder.parent / "second"
    write_paid(folder, first.plan, first.geography, 5, account)
    sign(folder, KEY)
    account.answer("manifest", manifest(folder))
    return Bundle(folder, first.url, first.plan, first.geography, first.ledger)


@pytest.mark.series(2)
@pytest.mark.parametrize("chained_again", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        lambda events: [*events[:2], events[3], events[2], *events[4:]],
        lambda events: [*events[:4], *events[7:10], *events[4:7]],
        lambda events: [*events[:4], *events[7:]],
        lambda events: events[:7],
    ],
    ids=["custodian's events reordered", "releases reordered", "first release dropped", "cut"],
)
def test_attack_a22_a_ledger_that_was_reordered_or_lacks_a_release_is_found(
    two: Bundle,
    tmp_path: Path,
    call: Call,
    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]],
    chained_again: bool,
) -> None:
    events = [json.loads(line) for line in two.ledger.reading.export()]
    assert [event["kind"] for event in events[4:]] == ["charge", "drawn", "answer"] * 2
    exported = tmp_path / "ledger.jsonl"
    exported.write_text("\n".join(map(json.dumps, events)) + "\n")
    words = ("verify", two.folder, "--ledger", exported, "--key", KEY.public.fingerprint)
    assert call(*words).exit_code == 0
    changed = change(events)
    exported.write_text("\n".join(rewritten(changed) if chained_again else map(json.dumps, changed)) + "\n")
    result = call(*words)
    assert (result.exit_code, result.stdout.split()[0]) == (5, "failed")
    assert "starling: ledger" in result.stderr


def test_attack_a22_a_release_that_is_not_published_is_seen_in_the_ledger(two: Bundle, call: Call) -> None:
    listed = call("ledger", "show", two.url)
    assert listed.exit_code == 0
    assert "request-1" in listed.stdout, "whether or not its folder is anywhere"
    assert "request-2" in listed.stdout


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


def test_attack_a28_a_publisher_who_says_validated_where_nobody_accepted_the_records_fails(
    tmp_path: Path, call: Call
) -> None:
    for accepted, code in ((1, 5), (None, 0)):
        place = tmp_path / str(code)
        place.mkdir()
        bundle = make(place, accepted=accepted, allow_negative=False)
        result = call("verify", bundle.folder, "--ledger", bundle.url, "--key", KEY.public.fingerprint)
        assert result.exit_code == code
        assert ("that the custodian accepted, and the release says that they were" in result.stderr) == (code == 5)


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


@pytest.mark.series(6)
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


@pytest.mark.series(2)
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
