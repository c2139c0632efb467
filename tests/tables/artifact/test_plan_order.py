"""Pictures name groups in the order of the plan: ages by number, not as texts."""

import re

import numpy as np
import pyarrow as pa
import pytest

from starling import open_release, tables
from starling.release.payment import PaymentOptions
from starling.tables.analysis import TablesRelease
from starling.tables.artifact.plan_order import PlanOrder
from tests.four_domains import TABLES

AGES = tuple(str(age) for age in range(12))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> TablesRelease:
    """Of ages from 0 to 11, each a group of its own, and of sexes."""
    folder = tmp_path_factory.mktemp("ages")
    plan = TABLES.replace("to = 110", "to = 11").replace("cuts = { age = [0, 18, 65] }\n", "")
    (folder / "plan.toml").write_text(plan)
    (folder / "records.csv").write_text("sex,age\n" + "".join(f"F,{age}\n" for age in AGES))
    payment = PaymentOptions(unvalidated=True)
    created = tables.release(
        tables.Plan.load(str(folder / "plan.toml")), folder / "records.csv", out=folder / "out", payment=payment
    )
    opened = open_release(created.folder)
    assert isinstance(opened, TablesRelease)
    return opened


def labels(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*text-anchor=\"start\"[^>]*>([^<]*)</text>", svg)


def test_the_pictures_of_report_and_session_are_in_the_order_of_the_plan(release: TablesRelease) -> None:
    codes = [code for code in release.table("t1")["iteration_code"].to_pylist() if code.startswith("age")]
    assert codes != sorted(codes, key=lambda code: int(code.split(": ")[1])), "the table itself is sorted as text"
    report = (release.folder / "report.html").read_text()
    figure = report[report.index("<svg") : report.index("</svg>")]
    for svg in (figure, release.plot().pictures["t1"].pictures[0].draw()):
        named = [re.findall(r"\d+", label)[-1] for label in labels(svg) if re.search(r"\d", label)]
        assert tuple(named) in (AGES[:10], AGES)


def test_rows_of_one_group_stay_as_they_are_and_regions_and_levels_go_before(release: TablesRelease) -> None:
    level = str(release.plan.levels[0].geography)
    rows = [("2", "age: 10"), ("2", "age: 9"), ("1", "age: 10"), ("1", "age: 10"), ("1", "sex: M"), ("1", "sex: F")]
    table = pa.table(
        {
            "region_type": [level] * len(rows),
            "region_id": [region for region, _ in rows],
            "iteration_code": pa.array([code for _, code in rows]).dictionary_encode(),
        }
    )
    assert PlanOrder(release.plan).of(table).tolist() == [5, 4, 2, 3, 1, 0]
    assert PlanOrder(release.plan).of(table.slice(0, 0)).tolist() == []
    np.testing.assert_array_equal(PlanOrder(release.plan).of(table.take([5, 4])), [0, 1])
