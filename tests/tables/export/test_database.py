"""A database holds each table with a comment that says what its numbers are."""

from pathlib import Path

import duckdb

from starling.tables.analysis import open_release


def test_tables_and_columns_have_comments(detailed_release: Path, tmp_path: Path) -> None:
    opened = open_release(detailed_release)
    path = opened.export(tmp_path / "r.duckdb", "duckdb", tables=["ward_by_sex"], round_to=5)
    with duckdb.connect(str(path), read_only=True) as database:
        ((name, about),) = database.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall()
        assert name == "ward_by_sex"
        assert "Cost: rho" in about
        assert "Rounded to multiples of 5" in about
        comments = dict(
            database.execute(
                "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'ward_by_sex'"
            ).fetchall()
        )
        assert "95 %" in comments["lower"]
        assert all(comments.values())
        (pivot,) = database.execute(
            "SELECT count(*) FROM (PIVOT ward_by_sex ON sex_label USING sum(count) GROUP BY ward)"
        ).fetchone() or (0,)
        assert pivot == len(set(opened.table("t1")["region_id"].to_pylist()))
