"""The order in which a plan names its groups, for pictures: rows of T1 are sorted by their codes as texts, so that 10 comes before 2."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.tables.plan import Plan


class PlanOrder:
    """Orders rows by the levels of a plan, then by region, then by the plan's order of values.

    Args:
        plan: The plan of the rows.
    """

    def __init__(self, plan: Plan) -> None:
        families, columns = plan.records.families, plan.records.by_name
        named = [each.code for number, family in enumerate(families, 1) for each in family.iterations(number, columns)]
        codes = named or [each.code for level in plan.levels for each in level.iterations]
        self._places = {code: place for place, code in enumerate(dict.fromkeys(codes))}
        self._levels = {
            (str(level.geography), each.code): number
            for number, level in enumerate(plan.levels)
            for each in level.iterations
        }

    def of(self, rows: pa.Table) -> npt.NDArray[np.int64]:
        """Positions of the rows of T1 or T2 in this order; rows of one group stay as they are."""
        kind, kinds = _encoded(rows, "region_type")
        region, regions = _encoded(rows, "region_id")
        code, codes = _encoded(rows, "iteration_code")
        levels = np.array([[self._levels.get((one, each), 0) for each in codes] for one in kinds], dtype=np.int64)
        by_text = np.argsort(np.argsort(np.array(regions, dtype=str)))
        places = np.array([self._places.get(each, 0) for each in codes], dtype=np.int64)
        if not len(rows):
            return np.zeros(0, dtype=np.int64)
        return np.asarray(np.lexsort((places[code], by_text[region], levels[kind, code])), dtype=np.int64)


def _encoded(rows: pa.Table, name: str) -> tuple[npt.NDArray[np.int64], list[str]]:
    """A column of texts as numbers, and the text of each."""
    column = rows[name].cast(pa.string()).combine_chunks().dictionary_encode()
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return column.indices.to_numpy(zero_copy_only=False).astype(np.int64), column.dictionary.to_pylist()
