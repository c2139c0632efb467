"""What values at fault have in common: every habit of spreadsheets and statistical programs is named by its cause."""

from datetime import datetime

import pyarrow as pa
import pytest

from starling.engine.plain_text import numbers_of, times_of
from starling.engine.times import no_times
from starling.release.causes import FORMS, FREQUENT, Kind, Offending, texts_of
from starling.text_format import TextFormat

CODES = ("F", "Málaga", "1", "dos Hermanas")


def explained(kind: Kind, *values: bytes | str) -> str:
    offending = Offending(kind, CODES)
    offending.add(pa.array([each.encode() if isinstance(each, str) else each for each in values], pa.binary()))
    return str(offending.explanation("field", "is wrong", "a.csv"))


@pytest.mark.series(5)
@pytest.mark.parametrize(
    ("kind", "value", "cause"),
    [
        ("code", "Málaga".encode("cp1252"), "which is not UTF-8"),
        ("code", "M\ufffdlaga", "which lost letters"),
        ("code", "Ma\u0301laga", "which is a code in another Unicode form"),
        ("code", "f", "which is a code in other case"),
        ("code", "F\u00a0", "blanks that do not break"),
        ("code", "F\u200b", "blanks that do not break"),
        ("code", "dos  Hermanas", "or too many"),
        ("code", "1.0", "zeros before or after"),
        ("code", "01", "zeros before or after"),
        ("code", "MÃ¡laga", "which was UTF-8 and was read as another encoding"),
        ("number", "80,448.00", 'state thousands = "," below'),
        ("number", "80.448,00", 'state thousands = "." and decimal = "," below'),
        ("number", "80\u202f448,5", 'state thousands = "space" and decimal = "," below'),
        ("number", "80\u2019448.5", 'state thousands = "\'" below'),
        ("number", "12,5", 'state decimal = "," below'),
        ("number", "\u221212", "minus that is no hyphen"),
        ("number", "12.5", "which has decimals"),
        ("number", "12 kg", "a unit, a currency or letters"),
        ("number", "€ 12", "a unit, a currency or letters"),
        ("time", "43861", "number of a day"),
        ("time", "31.01.2020", 'state dates = "%d.%m.%Y" below'),
        ("time", "01/02/2020", 'state dates = "%d/%m/%Y" or dates = "%m/%d/%Y" below'),
        ("time", "31JAN2020", 'state dates = "%d%b%Y" below'),
        ("time", "31JAN2020:10:00:00", 'state dates = "%d%b%Y:%H:%M:%S" below'),
        ("time", "12/31/2020 11:59 PM", 'state dates = "%m/%d/%Y %I:%M %p" below'),
    ],
)
def test_the_cause_is_named(kind: Kind, value: bytes | str, cause: str) -> None:
    assert cause in explained(kind, value)


DATES = [form for form in FORMS if "%M" not in form]
CLOCKS = [form.removeprefix(DATES[0]) for form in FORMS if form.startswith(DATES[0])]


def test_every_form_is_a_date_and_a_clock() -> None:
    assert {*FORMS} == {f"{date}{clock}" for date in DATES for clock in CLOCKS}


@pytest.mark.series(3)
@pytest.mark.parametrize(
    "form", [*DATES, *(f"{date}{clock}" for clock in CLOCKS[1:] for date in (DATES[0], DATES[-1]))]
)
def test_a_form_that_is_advised_reads_the_dates(form: str) -> None:
    text = datetime.fromisoformat("2020-01-31T10:11:12").strftime(form)
    assert f'dates = "{form}"' in explained("time", text)
    assert not no_times(times_of(pa.array([text]), TextFormat(dates=form))).any()


@pytest.mark.parametrize(
    "value", ["80,448.00", "80.448,00", "80\u202f448,5", "80\u2019448.5", "12,5", "1 234", "-1.234,5"]
)
def test_marks_that_are_advised_read_the_number(value: str) -> None:
    advice = explained("number", value).partition("state ")[2].partition(" below")[0]
    stated = dict(each.split(" = ") for each in advice.split(" and "))
    form = TextFormat(**{key: mark.strip('"') for key, mark in stated.items()})
    (read,) = numbers_of(pa.array([value]), form).to_pylist()
    assert float(read) == float(
        "".join(each for each in value if each in "-0123456789,.")
        .replace(*(",", "") if form.decimal == "." else (".", ""))
        .replace(",", ".")
    )


def test_the_most_frequent_values_are_shown_with_their_counts() -> None:
    text = explained("code", *[str(100 + at) for at in range(9) for _ in range(20 - at)])
    assert text.startswith("a.csv: field is wrong: most often '100' (20), '101' (19), '102' (18)")
    assert text.count("(") == FREQUENT
    assert "and 4 other values; compare them with the plan" in text


def test_hostile_values_are_shown_on_one_line() -> None:
    text = explained("code", b"\x1b[2J\n\xff" * 50, b"")
    assert text.isprintable()
    assert len(text) < 400


def test_typed_columns_have_texts() -> None:
    columns = [
        pa.array([1]),
        pa.array([1.5]),
        pa.array([0], pa.timestamp("s")),
        pa.nulls(1),
        pa.array(["a"]).dictionary_encode(),
    ]
    assert [texts_of(each).to_pylist() for each in columns] == [
        [b"1"],
        [b"1.5"],
        [b"1970-01-01 00:00:00"],
        [None],
        [b"a"],
    ]
