"""The rows of the second table, by their codes: which finest cells each is the sum of, and what kind of number it is."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.tables.measurements import Int64
from starling.tables.plan import Detail


class DetailRows:
    """The rows of T2 of every branch, known by their codes.

    Attributes:
        detail: The chain of partitions of the plan.
        holding: Which of the finest cells each row is the sum of: float64 (rows, cells) of 0 and 1, for a product of matrices that is
            exact below 2^53 persons.
        summed: Whether a row, in a group of a branch from 0 on, is a sum over the last attribute: (rows, branches).
    """

    def __init__(self, detail: Detail) -> None:
        self.detail = detail
        self.holding = np.zeros((len(detail.of_codes), detail.finest))
        self.summed = np.zeros((len(detail.of_codes), len(detail.sizes)), dtype=np.bool_)
        for number, under in enumerate(detail.of_codes.values()):
            for branch, row in under:
                cell = detail.within(detail.steps, branch)
                self.holding[number] = (row.first <= cell) & (cell < row.first + row.terms)
                self.summed[number, branch] = row.terms > 1
        self._texts = [sorted({codes[place] for codes in detail.of_codes}) for place in range(len(detail.columns))]
        shape = tuple(len(texts) + 1 for texts in self._texts)
        # The last place of each column is that of a text that it never has.
        self._number = np.full(shape, -1, dtype=np.int64)
        for number, codes in enumerate(detail.of_codes):
            self._number[tuple(texts.index(code) for texts, code in zip(self._texts, codes, strict=True))] = number

    def numbers(self, batch: pa.RecordBatch) -> Int64:
        """The number of each row among `detail.of_codes`; -1 for one that no branch has."""
        places = (
            pc.fill_null(pc.index_in(batch[column].cast(pa.string()), pa.array(texts, pa.string())), -1)
            for column, texts in zip(self.detail.columns, self._texts, strict=True)
        )
        # A plan without detail has no columns of it, and no row.
        number = self._number[tuple(place.to_numpy(zero_copy_only=False) for place in places)]
        return np.broadcast_to(number, (len(batch),))
