"""Public CSV files that a plan names are read plainly, or as `[format]` of the plan says its records: the same plan either way."""

from pathlib import Path

import pytest

from bench.fuzz.declared import section
from starling.groups.plan import Plan as GroupsPlan
from starling.planfile.public_text import public_text
from starling.tables.plan import Plan as TablesPlan
from starling.text_format import PLAIN, TextFormat
from tests.groups.worlds import write_world

FORMATS = [
    TextFormat(";", encoding="cp1252"),
    TextFormat("tab", encoding="utf-16"),
    TextFormat("|", encoding="utf-8"),
    TextFormat(encoding="iso8859-15"),
]
TABLES = """title = "T"
[privacy]
unit = "person"
neighbours = "add-remove"
measure = "epsilon"
[records]
of-a-person = 1
[[columns]]
name = "sort"
file = "codes.csv"
[regions]
column = "area"
levels = ["land", "area"]
file = "areas.csv"
[publication]
negative-counts = true
[[groups]]
name = "sort"
columns = ["sort"]
[[levels]]
regions = "land"
groups = "sort"
budget = "1"
"""


def rewrite(path: Path, form: TextFormat) -> None:
    """Write a plain file in a format."""
    path.write_bytes(form.beginning + form.encode(path.read_text().replace(",", form.mark)))


@pytest.mark.parametrize("form", FORMATS)
def test_public_files_of_tables_are_read_plainly_or_as_the_format_says(form: TextFormat, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TABLES + section(form))
    (tmp_path / "codes.csv").write_text("code,text\nä,größe\nb,klein\n")
    (tmp_path / "areas.csv").write_text("area,land\na1,wést\na2,wést\nb1,east\n")
    plain = TablesPlan.load(tmp_path / "plan.toml")
    for name in ("codes.csv", "areas.csv"):
        rewrite(tmp_path / name, form)
    other = TablesPlan.load(tmp_path / "plan.toml")
    assert other == plain
    assert "größe" in repr(other.records)


@pytest.mark.parametrize("form", FORMATS)
def test_public_files_of_groups_are_read_plainly_or_as_the_format_says(form: TextFormat, tmp_path: Path) -> None:
    write_world(tmp_path, "persons")
    plan = tmp_path / "plan.toml"
    plan.write_text(plan.read_text() + section(form))
    plain = GroupsPlan.load(plan)
    for name in ("regions.csv", "register.csv"):
        rewrite(tmp_path / name, form)
    other = GroupsPlan.load(plan)
    assert other.regions.ids == plain.regions.ids
    assert other.groups == plain.groups


@pytest.mark.parametrize(
    ("data", "form", "result"),
    [
        (b"a;b\n1;2\n", PLAIN, ("a;b\n1;2\n", ",")),
        (b"a;b\n1;2\n", TextFormat(";"), ("a;b\n1;2\n", ";")),
        (b"a,b\n1;2,3\n", TextFormat(";"), ("a,b\n1;2,3\n", ",")),
        (b"\xef\xbb\xbfcode\n1;2\n", TextFormat(";"), ("code\n1;2\n", ",")),
        ("code,text\né\n".encode(), TextFormat(encoding="cp1252"), ("code,text\né\n", ",")),
        ("code,text\né\n".encode("cp1252"), TextFormat(encoding="cp1252"), ("code,text\né\n", ",")),
        ("a\tb\n".encode("utf-16"), TextFormat("tab", encoding="utf-16"), ("a\tb\n", "\t")),
        ("a\tb\n".encode("utf-16-le"), TextFormat("tab", encoding="utf-16-le"), ("a\tb\n", "\t")),
        (b"", TextFormat("tab", encoding="utf-16"), ("", ",")),
    ],
)
def test_the_first_line_and_the_bytes_decide(data: bytes, form: TextFormat, result: tuple[str, str]) -> None:
    assert public_text(data, form) == result


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(UnicodeDecodeError):
        public_text("é".encode("cp1252"))
    with pytest.raises(UnicodeDecodeError):
        public_text(b"\x81", TextFormat(encoding="cp1252"))
