"""A release with one byte changed anywhere is found; so is one whose publisher, ledger or domain does not stand behind it."""

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starling
from starling.errors import IntegrityError, ParameterError
from starling.ledger.rules import Request
from starling.release.manifest import OWN_LEDGER, manifest, sign
from starling.release.zipped import zipped
from starling.tables.artifact.columns import CHECKS
from starling.verification import Outcome
from tests.tables.bundles import KEY, OTHER, Bundle, make, new_ledger, write_paid


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release charged to a ledger; not to be changed."""
    return make(tmp_path_factory.mktemp("made"), allow_negative=False)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release with its ledger inside; not to be changed."""
    return make(tmp_path_factory.mktemp("alone"), inside=True)


@pytest.fixture
def copied(made: Bundle, tmp_path: Path) -> Bundle:
    return made.copy(tmp_path / "copy")


def said(bundle: Bundle | Path, **options: Any) -> list[str]:
    """The findings without their fixes."""
    folder = bundle.folder if isinstance(bundle, Bundle) else bundle
    return [str(finding).split(";")[0] for finding in starling.verify(folder, **options).findings]


@pytest.mark.slow
def test_a_release_is_verified_alone_and_with_its_ledger(made: Bundle) -> None:
    found = starling.verify(made.folder)
    found.refuse()
    assert (found.outcome, found.left_open) == (Outcome.CONSISTENT, ("whose key signed it", "the charge"))
    assert (found.compared, found.request_id, found.ledger) == (False, "request-1", (made.ledger.book.id, 5))
    assert found.signer == KEY.public
    assert found.guarantee == made.plan.guarantee
    for key in (KEY.public, KEY.public.text, KEY.public.fingerprint):
        whole = starling.verify(str(made.folder), ledger=made.url, key=key)
        assert (whole.outcome, whole.left_open, whole.compared) == (Outcome.VERIFIED, (), True)
    assert starling.verify(made.folder, ledger=made.url).left_open == ("whose key signed it",)
    assert starling.verify(made.folder, key=KEY.public).left_open == ("the charge",)


def test_a_ledger_inside_is_looked_into_without_being_told(alone: Bundle) -> None:
    found = starling.verify(alone.folder, key=KEY.public)
    found.refuse()
    assert found.compared


def test_a_ledger_inside_says_nothing_of_other_releases(alone: Bundle, tmp_path: Path) -> None:
    copied = shutil.copy(alone.folder / OWN_LEDGER, tmp_path / "as-if-the-custodian-sent-it.sqlite")
    for ledger in (None, alone.url, f"sqlite:///{copied}"):
        found = starling.verify(alone.folder, ledger=ledger, key=KEY.public)
        assert found.outcome is Outcome.CONSISTENT
        assert "other releases from the same data" in found.headline


def test_a_zip_is_verified_as_its_folder_is(made: Bundle, tmp_path: Path) -> None:
    zipped(made.folder, tmp_path / "r.zip")
    found = starling.verify(tmp_path / "r.zip", ledger=made.url, key=KEY.public)
    found.refuse()
    assert found.compared
    assert [path.name for path in tmp_path.iterdir()] == ["r.zip"]


def test_verification_writes_nothing(made: Bundle, alone: Bundle) -> None:
    for bundle in (made, alone):
        before = {path: path.read_bytes() for path in bundle.folder.rglob("*") if path.is_file()}
        starling.verify(bundle.folder)
        assert {path: path.read_bytes() for path in bundle.folder.rglob("*") if path.is_file()} == before


def files(bundle: Bundle) -> list[Path]:
    return sorted(path for path in bundle.folder.rglob("*") if path.is_file())


def flipped(path: Path, place: int, mask: int) -> bytes:
    """Change one byte; the file as it was."""
    before = path.read_bytes()
    data = bytearray(before)
    data[place] ^= mask
    path.write_bytes(data)
    return before


@pytest.mark.series(1)
@pytest.mark.parametrize("which", ["made", "alone"])
def test_one_byte_changed_in_any_file_is_found(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    bundle: Bundle = request.getfixturevalue(which).copy(tmp_path / "copy")
    for path in files(bundle):
        size = path.stat().st_size
        for place in {0, size // 3, size // 2, size - 1}:
            before = flipped(path, place, 1)
            assert starling.verify(bundle.folder).findings, f"{path.name} at {place}"
            path.write_bytes(before)
    assert not starling.verify(bundle.folder).findings


@pytest.mark.examples(25)
@settings(max_examples=60)
@given(data=st.data())
def test_one_byte_changed_anywhere_is_found(made: Bundle, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(files(made)))
    place = data.draw(st.integers(0, path.stat().st_size - 1))
    before = flipped(path, place, data.draw(st.integers(1, 255)))
    try:
        assert starling.verify(made.folder).findings
    finally:
        path.write_bytes(before)


def test_every_finding_is_listed(copied: Bundle) -> None:
    for path in files(copied):
        if path.name != "SIGNATURE":
            path.write_bytes(b"")
    found = starling.verify(copied.folder)
    assert len(found.findings) == len(files(copied)) - 1
    with pytest.raises(IntegrityError) as error:
        found.refuse()
    assert error.value.exit_code == 5
    assert len(error.value.problems) == len(found.findings)


def edited(bundle: Bundle, change: int) -> None:
    """Add to the first count of T1, in the Parquet file and in both texts."""
    data = bundle.folder / "data"
    table = pq.read_table(data / "t1.parquet")
    counts = table["count"].to_pylist()
    before = counts[0]
    counts[0] += change
    pq.write_table(table.set_column(3, "count", pa.array(counts, pa.int64())), data / "t1.parquet", compression="zstd")
    for name in ("t1.txt", "t1.csv"):
        lines = (data / name).read_text().splitlines(keepends=True)
        lines[1] = (
            lines[1].replace(str(before), str(counts[0]), 1) if name == "t1.csv" else lines[1].replace("|0\n", "|7\n")
        )
        (data / name).write_text("".join(lines))


def test_a_cell_that_is_edited_and_hashed_again_is_found_twice(copied: Bundle) -> None:
    edited(copied, 7)
    copied.rehash()
    assert said(copied) == [
        "SIGNATURE is not the key's signature over the files that it lists",
        "data/t1.parquet: column count is in row 1 not what the shipped measurements give",
        "data/t1.csv is not the text that the shipped measurements give",
        "data/t1.txt is not the text that the shipped measurements give",
    ]


def test_not_even_its_publisher_can_edit_a_cell(copied: Bundle, made: Bundle) -> None:
    edited(copied, 7)
    copied.resign()
    assert said(copied)[0] == "data/t1.parquet: column count is in row 1 not what the shipped measurements give"
    assert said(copied, ledger=made.url)[-1] == "ledger: event 5 was answered by another release than this one"


def test_another_key_is_found(copied: Bundle) -> None:
    copied.resign(OTHER)
    assert said(copied) == ["privacy.json: account names a ledger of another key than the one that signed the release"]
    copied.edit("privacy.json", lambda stated: stated["account"]["ledger"].update(signer=OTHER.public.text))
    copied.resign(OTHER)
    assert {finding.split()[0] for finding in said(copied)} == {"report.html", "registry.yaml"}
    assert not {"bundle", "charge", "privacy", *CHECKS.own} & {
        check.name for check in starling.verify(copied.folder).checks if check.state == "fails"
    }, "a forger may sign what he likes with his own key"
    assert said(copied, key=KEY.public.text)[0].startswith("SIGNATURE is by the key")
    words = "custodian has another key than the one that signed the release"
    assert any(finding.endswith(words) for finding in said(copied, ledger=copied.url))


def test_a_swapped_neighbour_relation_is_found_whoever_signs(copied: Bundle) -> None:
    def swap(stated: dict[str, Any]) -> None:
        stated["neighbours"] = {"change": "replace-one", "unit": "person", "words": "replace one person"}
        stated["cost"] = {
            "add-remove": None,
            "add-remove_reason": "the number of units is public, so that no unit can be added or removed",
            "replace-one": stated["cost"]["add-remove"],
        }

    copied.edit("privacy.json", swap)
    copied.resign()
    assert said(copied) == [
        f"privacy.json: {field} is not what the public plan in the folder gives" for field in ("neighbours", "cost")
    ]


def test_a_second_draw_for_the_same_charge_is_found_by_the_ledger_alone(made: Bundle, tmp_path: Path) -> None:
    # The custodian draws until he likes it: each bundle is good in itself.
    account = made.ledger.account(Request("ann", "request-2", "census", '{"again":"1"}'))
    write_paid(tmp_path / "second", made.plan, made.geography, 5, account)
    sign(tmp_path / "second", KEY)
    assert said(tmp_path / "second") == []
    assert said(tmp_path / "second", ledger=made.url) == [
        "ledger: event 8 has no answer in the ledger: nothing says that this release is what was drawn for it"
    ]
    account.answer("manifest", manifest(tmp_path / "second"))
    assert said(tmp_path / "second", ledger=made.url) == []


@pytest.mark.slow
def test_a_ledger_that_was_cut_or_is_another_one_is_found(made: Bundle, tmp_path: Path) -> None:
    lines = list(made.ledger.reading.export())
    exported = tmp_path / "ledger.jsonl"
    exported.write_text("\n".join(lines[:7]) + "\n")
    assert said(made, ledger=str(exported)) == []
    exported.write_text("\n".join(lines[:4]) + "\n")
    assert said(made, ledger=str(exported)) == ["ledger ends at event 4, and the release was charged as event 5"]
    exported.write_text("\n".join(lines[:7]).replace("request-1", "request-9") + "\n")
    assert said(made, ledger=str(exported)) == ["ledger: event 5 was changed"]
    url, other = new_ledger(tmp_path, made.plan, "other.sqlite")
    other.close()
    assert said(made, ledger=url) == ["ledger is another one than the release was charged to"]
    (tmp_path / "none.sqlite").write_text("none")
    assert said(made, ledger=f"sqlite:///{tmp_path / 'none.sqlite'}") == ["ledger is damaged or no ledger"]
    with pytest.raises(ParameterError, match="is not there"):
        starling.verify(made.folder, ledger="sqlite:///nowhere.sqlite")


def test_a_ledger_inside_that_is_taken_away_is_found(alone: Bundle, tmp_path: Path) -> None:
    copied = alone.copy(tmp_path / "copy")
    (copied.folder / OWN_LEDGER).unlink()
    assert said(copied) == [f"{OWN_LEDGER} is missing"]
    copied.resign()
    assert said(copied) == [f"{OWN_LEDGER} is missing: the ledger inside the release that it was charged to"]
    shutil.copy(alone.folder / "privacy.json", copied.folder / OWN_LEDGER)
    copied.resign()
    assert said(copied) == ["ledger is damaged or no ledger"]


def test_a_domain_that_nobody_knows_is_a_finding(copied: Bundle) -> None:
    copied.edit("privacy.json", lambda stated: stated.update(domain="os"))
    copied.resign()
    assert said(copied) == ["privacy.json: domain is none that this version of Starling can verify"]


def test_a_key_that_is_none_or_a_place_without_a_release_is_refused(made: Bundle, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="64 hexadecimal digits"):
        starling.verify(made.folder, key="abc")
    with pytest.raises(ParameterError, match="is not there"):
        starling.verify(tmp_path / "nothing")
    (tmp_path / "file").write_text("x")
    assert said(tmp_path / "file") == ["file is not a zip file, or is damaged"]


def test_a_verification_shows_itself(made: Bundle, copied: Bundle) -> None:
    found = starling.verify(made.folder, ledger=made.url)
    for shown in (str(found), found._repr_html_()):
        assert found.outcome.value in shown
        assert all(f"{check.name}" in shown for check in found.checks)
    (copied.folder / "report.html").write_text("<script>alert(1)</script>")
    failed = starling.verify(copied.folder)
    assert repr(failed).startswith("outcome")
    assert re.search(r"^key +not checked$", repr(starling.verify(made.folder)), re.MULTILINE)
    assert "fails: report.html" in repr(failed)
    assert not [name for name in dir(failed) if name.startswith("_")]
