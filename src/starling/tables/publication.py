"""A release of tables as the frame publishes it: what is charged and drawn for a plan, and the files that follow from it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Released
from starling.release.encrypted import Create
from starling.tables.artifact import keep_measurements, with_earlier, write_release
from starling.tables.artifact.measured import EARLIER, read_measurements
from starling.tables.earlier.top_up import ToppedUp
from starling.tables.measurements import Measurements
from starling.tables.mechanism import MeasuredAgain, SafeTab
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import tabulate
from starling.tables.request import request_body


@dataclass(frozen=True, slots=True)
class TablesPublication:
    """A `release.domain.Publication`.

    Attributes:
        plan: The public choices, with what the release adds to.
        regions: The public geography.
        earlier: The open release that this one adds to; None where it stands alone, and where a folder is verified.
    """

    plan: Plan
    regions: Geography
    earlier: ToppedUp | None = None
    domain: Final = "tables"

    @property
    def request(self) -> str:
        """Digests of plan and geography."""
        return request_body(self.plan, self.regions)

    @property
    def guarantee(self) -> Guarantee:
        """The plan's."""
        return self.plan.guarantee

    @property
    def joint(self) -> Guarantee:
        """The plan's, with all that it adds to."""
        return self.plan.together

    def prepare(self, folder: Path) -> None:
        """Copy the measurements of the earlier releases."""
        if self.earlier is not None:
            self.earlier.copy(folder)

    def mechanism(self, folder: Path, create: Create) -> SafeTab | MeasuredAgain:
        """What the plan asks for."""
        keep = partial(keep_measurements, folder, create, self.plan, self.regions)
        if self.plan.variants.top_up is None:
            return SafeTab(self.plan, self.regions, keep)
        return MeasuredAgain(self.plan, read_measurements(folder, self.plan, self.regions, EARLIER), keep)

    def read(self, folder: Path) -> Measurements:
        """The measurements that were drawn for this release."""
        return read_measurements(folder, self.plan, self.regions)

    def write(self, folder: Path, drawn: Released[Measurements]) -> None:
        """Tabulate and write, piece by piece."""
        values = drawn.then(partial(with_earlier, folder, self.plan, self.regions))
        write_release(folder, self.plan, self.regions, values.then(partial(tabulate, self.plan, self.regions)))
