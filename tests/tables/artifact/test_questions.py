"""Questions to a release of cross tables: what Python's `number` gives, at a stated amount of work."""

from typing import Any

import pytest

from starling.errors import ParameterError
from starling.tables.analysis import TablesRelease
from starling.tables.artifact.questions import Ratio, Sum, Term

TERMS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"where": [["sex", "F"], ["age", "0 to 17"]]}, {"sex": "F", "age": "0 to 17"}),
    ({"where": [["ward", "w0"], ["ward", "w2"], ["school", "a"]]}, {"ward": ["w0", "w2"], "school": "a"}),
    (
        {"table": "sex_by_age", "where": [["region_id", "w1"], ["sex", "F"], ["age", "0 to 17"], ["age", "18 to 64"]]},
        {"ward": "w1", "sex": "F", "age": ["0 to 17", "18 to 64"]},
    ),
]


@pytest.mark.parametrize(("term", "values"), TERMS)
def test_a_question_is_answered_as_python_answers(
    cross_release: TablesRelease, term: dict[str, Any], values: dict[str, Any]
) -> None:
    number, whole = cross_release.number(**values), cross_release.number(ward=["w0", "w1", "w2"], sex=["F", "M"])
    reply: Any = cross_release.tell({"kind": "sum", "terms": [term], "confidence": "0.9"})
    assert {name: reply[name] for name in ("estimate", "standard_deviation", "lower", "upper")} == number.to_reply(
        "0.9"
    )
    assert reply["left_out"] == 0
    rest: Any = [{"table": "sex", "where": [["region_type", "ward"]]}, {**term, "weight": "-1"}]
    reply = cross_release.tell({"kind": "sum", "terms": rest})
    assert reply["standard_deviation"] == (whole - number).standard_deviation
    ratio: Any = cross_release.tell({"kind": "ratio", "terms": [term], "divisor": [{}]}, most=10_000)
    assert {name: ratio[name] for name in ("estimate", "lower", "upper")} == (
        number / cross_release.number()
    ).to_reply()


@pytest.mark.parametrize(
    ("term", "cause"),
    [
        ({"table": "measurements/cross-1"}, "name no table of numbers"),
        ({"table": "t1"}, "name no table of numbers"),
        ({"where": [["hair", "red"]]}, "hair is no column"),
        ({"where": [["ward", "w9"]]}, "ward has no region"),
        ({"table": "sex", "where": [["sex", "X"]]}, "have a term without a number in sex"),
    ],
)
def test_a_question_of_what_is_not_there_is_refused(
    cross_release: TablesRelease, term: dict[str, Any], cause: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        cross_release.tell({"kind": "sum", "terms": [term]}, most=10_000)
    assert cause in str(refused.value)


def test_more_cells_and_larger_tables_are_more_work(
    cross_release: TablesRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    wards = tuple(("ward", each) for each in ("w0", "w1", "w2"))
    questions: list[Any] = [Sum((Term("sex"),)), Sum((Term("sex_by_age"),)), Ratio((Term("", wards),), (Term(),))]
    steps = [each.work(cross_release).steps for each in questions]
    assert steps == sorted(set(steps))
    monkeypatch.setattr("starling.tables.analysis.MOST_CELLS", 3)
    cross_release.tell({"kind": "sum", "terms": [{"where": [["ward", each] for _, each in wards]}]})
    with pytest.raises(ParameterError, match="more than 3 numbers"):
        cross_release.tell({"kind": "sum", "terms": [{"table": "sex"}]})
