"""What releases of tables add: the text of codes, and groups that were left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from starling.screens.domain_pages import DomainPages
from starling.tables.analysis import TablesRelease


class TablesPages(DomainPages):
    """The pages of a release of tables."""

    @property
    def _tables(self) -> TablesRelease:
        release: Any = self.release
        return release  # type: ignore[no-any-return]

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """See `DomainPages`."""
        del table
        return {
            code: text
            for each in self._tables.plan.detail.attributes
            if each.name == column
            for code, text in each.values
        }

    def left_out(self, table: str, where: Mapping[str, str]) -> Sequence[str]:
        """Groups of the chosen region that are not in T1."""
        release = self._tables
        if table != "t1" or not {"region_type", "region_id"} <= set(where):
            return ()
        chosen = {column: where[column] for column in ("region_type", "region_id")}
        published = set(release.rows(table, **chosen)["iteration_code"].to_pylist())
        planned = [
            each.code
            for level in release.plan.levels
            if str(level.geography) == where["region_type"]
            and where["region_id"] in release.geography.regions[level.geography]
            for each in level.iterations
        ]
        return [
            f"Group {code}: left out by a public rule on its noisy number. No group is left out for what the records say."
            for code in planned
            if code not in published and where.get("iteration_code", code) == code
        ]
