"""Checks that need no domain: hashes, signature, data package, arithmetic; and nothing is parsed that was changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starling.ledger.keys import Pin, Public
from starling.release import datapackage, statement, verify
from starling.release.manifest import SIGNATURE
from starling.release.verify import charged, check, signed_by
from tests.tables.bundles import KEY, OTHER, Bundle


@pytest.fixture
def copied(made: Bundle, tmp_path: Path) -> Bundle:
    """A copy to tamper with."""
    return made.copy(tmp_path / "copy")


def said(bundle: Bundle, key: Public | None = None) -> list[str]:
    """The findings without their fixes."""
    checked = check(bundle.folder)
    found = [*checked.findings, *signed_by(checked, None if key is None else Pin.parse(key))]
    return [str(finding).split(";")[0] for finding in found]


def test_a_good_release_has_no_findings(made: Bundle) -> None:
    checked = check(made.folder)
    assert not checked.findings
    assert checked.guarantee == made.plan.guarantee
    assert checked.signature is not None
    assert checked.signature.key == KEY.public
    place = charged(checked)
    assert place is not None
    assert (place.ledger, place.position, place.dataset) == (made.ledger.book.id, 5, "census")


def test_whoever_signed_is_not_whoever_should_have(made: Bundle) -> None:
    (finding,) = said(made, key=OTHER.public)
    assert finding == f"SIGNATURE is by the key {KEY.public.fingerprint}, not by {OTHER.public.fingerprint}"


def test_a_file_that_is_missing_added_renamed_or_swapped_is_named(copied: Bundle) -> None:
    data = copied.folder / "data"
    (copied.folder / "registry.yaml").unlink()
    (data / "more.txt").write_text("x")
    (copied.folder / "report.html").rename(copied.folder / "Report.html")
    (data / "t1.txt").rename(data / "x")
    (data / "t2.txt").rename(data / "t1.txt")
    (data / "x").rename(data / "t2.txt")
    assert said(copied) == [
        "registry.yaml is missing",
        "report.html is missing",
        "Report.html was added after signing",
        "data/more.txt was added after signing",
        "data/t1.txt was changed after signing",
        "data/t2.txt was changed after signing",
    ]


def test_an_unsigned_release_is_nobodys(copied: Bundle) -> None:
    (copied.folder / SIGNATURE).unlink()
    assert said(copied) == ["SIGNATURE is missing, so that no custodian answers for this release"]
    assert charged(check(copied.folder)) is None


def test_a_folder_that_is_no_release_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "t1.txt").write_text("REGION_ID|COUNT\n")
    (finding,) = check(tmp_path).findings
    assert str(finding).startswith(f"{tmp_path.name} is no release: it has neither privacy.json nor SIGNATURE; give")


def test_a_list_that_nobody_signed_does_not_help(copied: Bundle) -> None:
    (copied.folder / "report.html").write_text("<p>All is well.")
    copied.rehash()
    assert said(copied) == ["SIGNATURE is not the key's signature over the files that it lists"]


def test_another_key_is_not_that_of_the_ledger_that_paid(copied: Bundle) -> None:
    copied.resign(OTHER)
    assert said(copied) == ["privacy.json: account names a ledger of another key than the one that signed the release"]
    assert len(said(copied, key=KEY.public)) == 2


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "relation": (
        lambda stated: stated["neighbours"].update(change="replace-one", words="replace one person"),
        "privacy.json: cost does not follow",
    ),
    "cost": (lambda stated: stated["cost"]["add-remove"].update(epsilon="1"), "privacy.json: cost does not follow"),
    "account": (lambda stated: stated.pop("account"), "privacy.json: account does not say who paid"),
    "request": (lambda stated: stated["account"].update(request_id=7), "privacy.json: account does not say who paid"),
    "tree": (lambda stated: stated.pop("composition"), "privacy.json: composition is not a statement"),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
def test_what_its_publisher_states_wrongly_is_found(
    copied: Bundle, change: Callable[[Any], object], expected: str
) -> None:
    copied.edit("privacy.json", lambda stated: (change(stated), None)[1])
    copied.resign()
    assert any(finding.startswith(expected) for finding in said(copied))


FORMS: dict[str, Callable[[str], str]] = {
    "a key twice": lambda text: text.replace('{\n  "format"', '{\n  "cost": {"add-remove": "nothing"},\n  "format"'),
    "a key twice, deep": lambda text: text.replace(
        '"change": "add-remove"', '"change": "none",\n    "change": "add-remove"', 1
    ),
    "a key too many": lambda text: text.replace('{\n  "format"', '{\n  "note": "nothing is private",\n  "format"'),
    "a key too many, deep": lambda text: text.replace('"delta":', '"note": "exact",\n    "delta":'),
    "other spaces": lambda text: text.replace("\n", "\n "),
    "another order": lambda text: json.dumps(json.loads(text), indent=2, ensure_ascii=False, sort_keys=True) + "\n",
    "another end": lambda text: text + "\n",
}


@pytest.mark.parametrize("change", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("version", [statement.software(), "starling 99"])
def test_a_statement_has_one_form(copied: Bundle, change: Callable[[str], str], version: str) -> None:
    path = copied.folder / "privacy.json"
    path.write_text(path.read_text().replace(statement.software(), version))
    copied.resign()
    assert said(copied) == []
    before = path.read_text()
    path.write_text(change(before))
    assert path.read_text() != before
    copied.resign()
    (finding,) = said(copied)
    assert finding.startswith("privacy.json")


@pytest.mark.parametrize("text", ["led\x1b[2Jger", "led\u202eger", "led\0ger", "led\x9bger"])
@pytest.mark.parametrize("field", ["name", "request_id"])
def test_a_statement_that_a_terminal_would_obey_is_not_shown(copied: Bundle, field: str, text: str) -> None:
    copied.edit("privacy.json", lambda stated: stated["account"].update({field: text}))
    copied.resign()
    assert said(copied) == ["privacy.json cannot be read"]


@pytest.mark.parametrize("text", ["", "[]", "nonsense", "[" * 100_000])
def test_a_statement_that_cannot_be_read_is_a_finding(copied: Bundle, text: str) -> None:
    (copied.folder / "privacy.json").write_text(text)
    copied.resign()
    assert said(copied) == ["privacy.json cannot be read"]


def test_what_was_changed_is_not_parsed(copied: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datapackage, "check", lambda *_: pytest.fail("parsed"))
    monkeypatch.setattr(verify, "check_cost", lambda *_: pytest.fail("parsed"))
    (copied.folder / "data" / "t1.parquet").write_bytes(b"PAR1 and worse")
    assert said(copied) == ["data/t1.parquet was changed after signing"]


def test_an_account_without_a_place_in_a_ledger_has_no_charge_to_look_up(copied: Bundle) -> None:
    copied.edit("privacy.json", lambda stated: stated["account"].update(ledger=None))
    copied.resign()
    assert charged(check(copied.folder)) is None
    copied.edit("privacy.json", lambda stated: stated["account"].update(ledger={"position": "5"}))
    copied.resign()
    assert charged(check(copied.folder)) is None
