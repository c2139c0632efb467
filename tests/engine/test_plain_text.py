"""Numbers and times by stated marks: what they write is read back exactly, and nothing else is a number or a time."""

from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.plain_text import NOTHING, numbers_of, plain_numbers, times_of
from starling.text_format import DECIMALS, THOUSANDS, TextFormat

MARKS = [(decimal, thousands) for decimal in DECIMALS for thousands in THOUSANDS if decimal != thousands]


@given(st.sampled_from(MARKS), st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_a_number_with_its_marks_is_the_number(marks: tuple[str, str], units: int, places: int) -> None:
    decimal, thousands = marks
    plain = f"{Decimal(abs(units)).scaleb(-places):,.{places}f}"
    mark = {"space": "\u202f"}.get(thousands, thousands)
    sign = "-" if units < 0 else ""
    written = sign + plain.translate({ord(","): mark, ord("."): decimal})
    form = TextFormat(decimal=decimal, thousands=thousands)
    (read,) = numbers_of(pa.array([f' "{written}" ']), form).to_pylist()
    text = read.decode() if isinstance(read, bytes) else read.strip(' "')
    assert text == sign + plain.replace(",", "")


@given(st.sampled_from(MARKS), st.text("0123456789.,' \u00a0-+Na", max_size=9))
def test_a_text_is_a_number_by_the_stated_marks_alone(marks: tuple[str, str], text: str) -> None:
    decimal, thousands = marks
    form = TextFormat(decimal=decimal, thousands=thousands)
    (read,) = plain_numbers(pa.array([text.encode()], pa.binary()), form).to_pylist()
    if form.plain_numbers or read == text.encode() == b"NaN":
        assert read == text.encode()
    elif read != NOTHING.as_py():
        whole, _, rest = text.partition(decimal)
        groups = whole.lstrip("+-").replace("\u00a0", " ").split({"space": " "}.get(thousands, thousands) or None)
        assert all(len(each) == 3 for each in groups[1:])
        assert len(groups) < 2 or 1 <= len(groups[0]) <= 3
        assert float(read) == float("".join([whole[:1] if whole[:1] in "+-" else "", *groups, ".", rest or "0"]))


FORMS = [
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%Y%m%d",
    "%d%b%Y",
    "%d-%b-%y",
    "%m/%d/%Y %I:%M %p",
    "%d.%m.%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S.%f",
]


@given(st.sampled_from(FORMS), st.datetimes(datetime.fromisoformat("1970-01-01"), datetime.fromisoformat("2068-12-31")))
def test_a_time_in_its_form_is_the_time(dates: str, time: datetime) -> None:
    (read,) = times_of(pa.array([time.strftime(dates)]), TextFormat(dates=dates)).to_pylist()
    assert datetime.fromisoformat(read.decode()).strftime(dates) == time.strftime(dates)


@pytest.mark.parametrize("text", ["2020-01-31", "31.1.20", "31/01/2020", "31.01.2020 10:00", "x", "³1.01.2020"])
def test_another_form_is_no_time(text: str) -> None:
    form = TextFormat(dates="%d.%m.%Y")
    assert times_of(pa.array([text, None, "1.1.2020"]), form).to_pylist() == [NOTHING.as_py(), None, b"2020-01-01"]


def test_typed_columns_stay_as_they_are() -> None:
    form = TextFormat(decimal=",", dates="%d.%m.%Y")
    assert numbers_of(pa.array([1.5]), form).to_pylist() == [1.5]
    assert times_of(pa.array([0], pa.timestamp("s")), form).type == pa.timestamp("s")
