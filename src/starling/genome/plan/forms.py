"""The forms that the plan of a study is read from and said in: a file, and values of Python."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from starling.privacy.budget import decimal_up
from starling.release.session import InSession

if TYPE_CHECKING:
    from starling.genome.plan.model import Plan
    from starling.genome.plan.snps import Snps
    from starling.genome.plan.values import Row


class Forms(InSession):
    """What a plan offers in a session; there is no other such class than the plan itself."""

    __slots__ = ()

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The plan file (TOML) at a path, with the public lists that it names.

        Raises:
            PlanError: with every problem.
        """
        from starling.genome.plan.readable import read_plan  # it makes plans, so it stands above them

        return cast(Self, read_plan(Path(path)))

    @classmethod
    def of(cls, values: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """The plan that values of Python say, with the keys of a plan file; checked as the file is.

        Args:
            values: Texts, integers, lists and dicts. Exact numbers are texts such as "0.05", integers or fractions; a float is refused. A
                key whose value is None is left out. Under "snps" stands a dict that names files, or a list made by `Plan.snp_list`.
            folder: Where files that are named in the values are looked for.

        Raises:
            PlanError: with every problem.
        """
        from starling.genome.plan.values import of_values  # it makes plans, so it stands above them

        return cast(Self, of_values(values, folder))

    @staticmethod
    def snp_list(rows: "Iterable[Row]") -> "Snps":
        """A public SNP list for `of`, sorted by place.

        Args:
            rows: Of each SNP its id, chromosome, position in base pairs, carried allele and other allele.

        Raises:
            PlanError: with every problem, each with its row.
        """
        from starling.genome.plan.values import snps_of  # it knows how lists are checked, so it stands above plans

        return snps_of(rows)

    def values(self) -> dict[str, Any]:
        """The values that `of` makes this plan of."""
        from starling.genome.plan.values import values_of  # it takes plans apart, so it stands above them

        return values_of(cast("Plan", self))

    def save(self, path: str | Path) -> None:
        """Write the plan as a plan file, which `load` reads back as the same plan, and its SNP list beside it as a .pvar.

        Args:
            path: File to make, ending in .toml; neither it nor the .pvar of the same name may exist.

        Raises:
            OutputError: a file is there, the path does not end in .toml, or nothing can be written there.
        """
        from starling.genome.plan.values import save  # it takes plans apart, so it stands above them

        save(cast("Plan", self), path)

    def _facts(self) -> list[tuple[str, str]]:
        plan = cast("Plan", self)
        return [
            ("plan", plan.title),
            ("protects", str(plan.relation)),
            ("study", f"{plan.people:,} people, {len(plan.snps):,} SNPs"),
            ("model", f"{plan.model}, tests {', '.join(plan.tests)}, alpha {decimal_up(plan.alpha)}"),
            ("regions", f"{len(plan.regions):,}"),
        ]
