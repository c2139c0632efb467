"""The search for inputs that make counting raise covers every column, kind and format, and what once failed is counted."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.fuzz.attempt import attempt, write_public
from bench.fuzz.formats import WRITERS
from bench.fuzz.genome import GENOME
from bench.fuzz.grids import GROUPS, PLACES
from bench.fuzz.persons import TABLES
from bench.fuzz.search import SOURCES, Batch, batches, corpus
from bench.fuzz.source import Source
from starling.domains import DOMAINS
from starling.engine.record_files import Form
from starling.groups.plan import Kind
from starling.places.plan import Plan as PlacesPlan
from starling.places.plan.choices import Columns
from starling.tables.plan import Plan as TablesPlan
from starling.tables.plan.columns import Domain

CORPUS = list(corpus())
LEFT_OUT = {"text": "csv", "workbook": None}
"""Forms of another name; of workbooks test_workbooks.py searches bytes and values."""


def test_every_domain_form_and_kind_of_column_is_searched(tmp_path: Path) -> None:
    assert {source.domain for source in SOURCES} == set(DOMAINS)
    assert {LEFT_OUT.get(form, form) for form in get_args(Form)} - {None} == set(WRITERS)
    assert {form.removesuffix("-bytes") for source in SOURCES if source is not GENOME for form in source.formats} == {
        *WRITERS,
        "held",
    }
    assert {source.name.split("-")[1] for source in GROUPS} == set(get_args(Kind))
    read: set[str] = set()
    for source in PLACES:
        write_public(source, tmp_path / source.name)
        columns = PlacesPlan.load(tmp_path / source.name / source.plan).columns
        assert set(columns.names) == set(source.columns)
        read |= {field.name for field in fields(Columns) if getattr(columns, field.name)}
    assert read == {field.name for field in fields(Columns)}
    kinds: set[type] = set()
    for source in TABLES[:2]:
        write_public(source, tmp_path / source.name)
        chosen = TablesPlan.load(tmp_path / source.name / source.plan)
        assert set(chosen.read.fields) == set(source.columns)
        several = [each for each in chosen.read.groups if each.several]
        assert {bool(each.separator) for each in several} == {True, False}
        kinds |= {type(each.domain) for each in (*chosen.read.single, *chosen.read.groups, *chosen.read.numbers)}
    assert kinds == set(get_args(Domain))


@pytest.mark.series(2)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_batch_makes_counting_raise(source: Source, seed: int) -> None:
    for form in source.formats:
        Batch(source, form, seed, 20).run()


@pytest.mark.parametrize(("name", "source", "file", "data"), CORPUS, ids=[name for name, *_ in CORPUS])
def test_what_once_failed_is_counted(name: str, source: Source, file: str, data: bytes, tmp_path: Path) -> None:
    write_public(source, tmp_path)
    (tmp_path / file).write_bytes(data)
    assert attempt(source, tmp_path / file, tmp_path) == "counted", name


def test_batches_go_round_all_formats_and_follow_from_their_numbers(tmp_path: Path) -> None:
    first = list(batches(0, 200, "", 5))
    assert {(each.source.name, each.form) for each in first} == {(s.name, form) for s in SOURCES for form in s.formats}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        first[0].write(tmp_path / folder)
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("a", "b"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
