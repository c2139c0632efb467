"""Exported areas are read back by other programs with their polygons and numbers."""

from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import pyarrow as pa

from starling.places.areas.artifact.exports import write_all
from starling.places.areas.plan.reading import read_areas
from tests.places.areas.worlds import plan


def test_all_formats_have_the_areas_and_their_numbers(tmp_path: Path) -> None:
    areas = plan(tmp_path).areas
    rows = pa.table(
        {
            "points": np.arange(5) / 4,
            "standard_deviation": np.ones(5),
            "lower": np.arange(5),
            "upper": np.arange(5) + 2,
        }
    )
    parquet, csv, geojson = write_all(tmp_path / "out", areas, rows)
    frames = [geopandas.read_parquet(parquet), geopandas.read_file(geojson)]
    for frame in frames:
        assert frame.crs.to_epsg() in (4326, None) or "CRS84" in str(frame.crs)
        assert frame.geometry.geom_equals(geopandas.GeoSeries(areas.geometries, crs=frame.crs)).all()
    for each in (*frames, pd.read_csv(csv)):
        assert each["points"].tolist() == [0, 0.25, 0.5, 0.75, 1]
        assert each["side"].tolist() == ["north", "north", "south", "south", "south"]


def test_a_property_that_is_called_as_a_number_is_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "other.geojson").write_text(plan(tmp_path).areas.text().replace('"side"', '"points"'))
    areas = read_areas(tmp_path / "other.geojson", ("id", "", ("points",)))
    rows = pa.table({name: np.arange(5) for name in ("points", "standard_deviation", "lower", "upper")})
    _, csv, _ = write_all(tmp_path / "out", areas, rows)
    assert pd.read_csv(csv).columns.tolist()[:3] == ["id", "points", "released_points"]
