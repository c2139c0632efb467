"""Engines by name."""

import pytest

from starling.engine.spark import Spark, check_engine, open_cluster
from starling.errors import ParameterError


@pytest.mark.parametrize("name", ["duckdb", "spark://local", "spark://host:7077", "spark://a-1.b_c:1,d:22"])
def test_engines(name: str) -> None:
    check_engine(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "DuckDB",
        "spark",
        "spark://",
        "spark://host",
        "spark://:7077",
        "spark://h:7077 --conf x=y",
        "local[2]",
        "yarn",
    ],
)
def test_what_is_no_engine_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="is neither duckdb"):
        open_cluster(name)


def test_duckdb_starts_nothing_and_spark_starts_with_with() -> None:
    with open_cluster("duckdb") as cluster:
        assert cluster is None
    assert isinstance(open_cluster("spark://local"), Spark)
