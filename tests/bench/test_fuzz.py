"""The search for inputs that make counting raise covers every column, kind and format, and what once failed is counted."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.fuzz.__main__ import main
from bench.fuzz.attempt import attempt, opened, write_public
from bench.fuzz.declared import FORMATS, encoded, written
from bench.fuzz.formats import WRITERS
from bench.fuzz.forms import Form
from bench.fuzz.grids import AREAS, FLOWS, GROUPS, PLACES, TRIPS
from bench.fuzz.persons import TABLES
from bench.fuzz.search import SOURCES, Batch, batches, corpus, one_round, run_batches
from bench.fuzz.source import Source
from starling.domains import DOMAINS
from starling.engine.record_files import Form as RecordsForm
from starling.groups.plan import Kind
from starling.places.areas.plan.columns import AreaColumns
from starling.places.flows.plan.choices import Ends
from starling.places.kinds import load
from starling.places.plan import Plan as PlacesPlan
from starling.places.plan.choices import Columns
from starling.places.trips.plan import Ends as TripEnds
from starling.release.domain import Delivery
from starling.tables.plan import Plan as TablesPlan
from starling.tables.plan.columns import Domain
from starling.tables.plan.custom_records import custom_records
from starling.text_format import KEYS, PLAIN

CORPUS = list(corpus())
WRITTEN = {"text": "csv"}
"""Forms of records that are written under another name."""
OWN = [source for source in SOURCES if source.domain != "genome"]


def test_every_domain_form_and_kind_of_column_is_searched(tmp_path: Path) -> None:
    assert {source.domain for source in SOURCES} == set(DOMAINS)
    assert {WRITTEN.get(form, form) for form in get_args(RecordsForm)} == set(WRITERS)
    assert {Form.named(form).kind for source in OWN for form in source.forms} == {*WRITERS, "held"}
    assert {source.name.split("-")[1] for source in GROUPS} == set(get_args(Kind))
    read: set[str] = set()
    for source in PLACES:
        write_public(source, tmp_path / source.name)
        columns = PlacesPlan.load(tmp_path / source.name / source.plan).columns
        assert set(columns.names) == set(source.columns)
        read |= {field.name for field in fields(Columns) if getattr(columns, field.name)}
    assert read == {field.name for field in fields(Columns)}
    for sources, choices in ((AREAS, AreaColumns), (FLOWS, Ends), (TRIPS, TripEnds)):
        read = set()
        for source in sources:
            write_public(source, tmp_path / source.name)
            named = load(tmp_path / source.name / source.plan)[1].columns
            assert set(named.names) == set(source.columns)
            read |= {field.name for field in fields(choices) if getattr(named, field.name)}
        assert read == {field.name for field in fields(choices)}
    kinds: set[type] = set()
    for source in TABLES[:2]:
        write_public(source, tmp_path / source.name)
        chosen = TablesPlan.load(tmp_path / source.name / source.plan)
        columns_read = custom_records(chosen).read(chosen.aggregates)
        assert set(columns_read.fields) == set(source.columns)
        several = [each for each in columns_read.groups if each.several]
        assert {bool(each.separator) for each in several} == {True, False}
        kinds |= {type(each.domain) for each in (*columns_read.single, *columns_read.groups, *columns_read.numbers)}
    assert kinds == set(get_args(Domain))


@pytest.mark.series(1)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
@pytest.mark.examples(2)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_no_batch_makes_counting_raise(source: Source, data: st.DataObject) -> None:
    """Some forms of each source; `.ci/run` tries each once, and a recorded run ten million inputs."""
    form = data.draw(st.sampled_from([form for form in source.forms if not Form.named(form).spark]))
    Batch(source, form, data.draw(st.integers(0, 2**32)), 20).run()


@pytest.mark.parametrize("source", OWN, ids=lambda source: source.name)
def test_a_source_has_every_format_part_and_engine(source: Source) -> None:
    forms = [Form.named(form) for form in source.forms]
    kinds = {form.kind for form in forms}
    assert {(form.kind, form.spark) for form in forms} >= {(kind, True) for kind in kinds - {"held"}}
    assert {(form.kind, form.parts) for form in forms} >= {(kind, True) for kind in kinds & {"csv", "geojson-lines"}}
    if "workbook" in kinds:
        declared = {(kind, form) for kind in ("csv", "workbook") for form in FORMATS.values()}
        assert {(form.kind, form.format) for form in forms if not form.whole} >= declared
        assert {(form.kind, form.format) for form in forms if form.whole} >= declared


def test_only_sources_of_a_fixed_form_take_no_declared_format() -> None:
    without = {source.name for source in OWN if not any(Form.named(form).format != PLAIN for form in source.forms)}
    assert without == {"areas-geometry", "places-geometry", "places-sparse", "tables-census"}


def test_formats_declare_every_key() -> None:
    assert all({getattr(form, key) for form in FORMATS.values()} - {getattr(PLAIN, key)} for key in KEYS)


@pytest.mark.series(1)
@pytest.mark.parametrize("name", FORMATS)
def test_right_values_of_a_declared_format_are_right(name: str, tmp_path: Path) -> None:
    """Power: what `written` writes is what the plan declares, so that the search is not one of refused fields alone."""
    form, (source, *_) = FORMATS[name], TABLES
    write_public(source, tmp_path, form)
    row = [b'"' + written(values[0], form) + b'"' for values in source.columns.values()]
    lines = [[column.encode() for column in source.columns], row, row]
    (tmp_path / "records.csv").write_bytes(encoded(b"\n".join(form.mark.encode().join(line) for line in lines), form))
    delivery = opened(source, tmp_path / "records.csv", tmp_path)
    assert isinstance(delivery, Delivery)
    assert delivery.validate(1).problems.total == 0


@pytest.mark.series(2)
@pytest.mark.parametrize(("name", "source", "file", "data"), CORPUS, ids=[name for name, *_ in CORPUS])
def test_what_once_failed_is_counted(name: str, source: Source, file: str, data: bytes, tmp_path: Path) -> None:
    write_public(source, tmp_path)
    (tmp_path / file).write_bytes(data)
    assert attempt(source, tmp_path / file, tmp_path) == "counted", name


def test_a_round_tries_each_form_without_spark_once_and_names_what_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forms = [(source.name, form) for source in SOURCES for form in source.forms if "spark" not in form]
    whole = one_round("", 5)
    assert [(each.source.name, each.form) for each in whole] == forms
    monkeypatch.setattr("bench.fuzz.search.attempt", lambda *_: 1 / 0)
    run_batches(whole[:2], tmp_path)
    printed = capsys.readouterr()
    assert printed.out.count('"outcome": "failed"') == printed.err.count("ZeroDivisionError") == 2
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.slow
def test_the_command_tries_a_round(capfd: pytest.CaptureFixture[str]) -> None:
    batches_tried = one_round("places-sparse", 1)
    assert len(batches_tried) == 3
    assert main(["--round", "--only", "places-sparse", "--rows", "1"]) == 0
    assert capfd.readouterr().out.startswith("3 inputs in ")


def test_batches_go_round_all_formats_and_follow_from_their_numbers(tmp_path: Path) -> None:
    first = list(batches(0, 1000, "", 5))
    assert {(each.source.name, each.form) for each in first} == {(s.name, form) for s in SOURCES for form in s.forms}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        first[0].write(tmp_path / folder)
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("a", "b"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
