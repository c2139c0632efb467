"""The forms that a plan is read from and said in: a file, a folder, values of Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from starling.privacy.budget import decimal_up
from starling.release.session import InSession

if TYPE_CHECKING:
    from starling.tables.plan.model import Plan


class Forms(InSession):
    """What a plan offers in a session; there is no other such class than the plan itself."""

    __slots__ = ()

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """The plan of a name or at a path.

        Args:
            name: A Census configuration folder, a plan file in TOML, or, as a text, the name of a plan that comes with Starling, such as
                "demo"; NAME:FOLDER for one that waits for a folder of Census definition files.

        Raises:
            PlanError: with every problem.
        """
        from starling.tables.plan import load  # the readers make plans, so they stand above them

        return cast(Self, load(name))

    @classmethod
    def of(cls, values: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """The plan that values of Python say, with the keys of a plan file (docs/plan-file.md); checked as the file is.

        Args:
            values: Texts, integers, truth values, lists and dicts. Exact numbers are texts such as "0.159", integers or fractions; a
                float is refused. A key whose value is None is left out.
            folder: Where a folder of definitions that is named in the values is looked for.

        Raises:
            PlanError: with every problem.
        """
        from starling.tables.plan.values import of_values  # it makes plans, so it stands above them

        return cast(Self, of_values(values, folder))

    def values(self, definitions: str | None = None) -> dict[str, Any]:
        """The values that `of` makes this plan of.

        Args:
            definitions: The folder of its definitions; without it, they are said as groups in the plan itself.

        Raises:
            PlanError: it tops up a release, its definitions are no groups of a plan file, or their folder cannot be printed.
        """
        from starling.tables.plan.values import values_of  # it takes plans apart, so it stands above them

        return values_of(cast("Plan", self), definitions)

    def save(self, path: str | Path, definitions: str | None = None) -> None:
        """Write the plan as a plan file, which `load` reads back as the same plan.

        Args:
            path: File to make, ending in .toml; must not exist.
            definitions: The folder of its definitions, from the place of the file; without it, they are said as groups in the file.

        Raises:
            PlanError: a plan file cannot say it, as of a plan that tops up a release.
            OutputError: the file is there, does not end in .toml, or cannot be written.
        """
        from starling.tables.plan.values import save  # it takes plans apart, so it stands above them

        save(cast("Plan", self), path, definitions)

    def _facts(self) -> list[tuple[str, str]]:
        plan = cast("Plan", self)
        levels = [(level.name, f"{plan.measure} {decimal_up(level.budget)}") for level in plan.levels]
        return [("plan", plan.title), ("protects", str(plan.guarantee.relation)), ("cost", str(plan.cost)), *levels]
