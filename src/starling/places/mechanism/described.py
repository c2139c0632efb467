"""A plan of places with what it costs and what the budget is spent on, which the mechanism says."""

from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.privacy.budget import Cost, decimal_up
from starling.privacy.neighbours import as_replace_one
from starling.release.session import Part


class MeasuredPlan(Plan):
    """A plan that knows its mechanism."""

    @property
    def cost(self) -> Cost:
        """What a release costs."""
        return mechanism_of(self).guarantee.cost

    def _facts(self) -> list[tuple[str, str]]:
        title, protects, *others = super()._facts()
        cost = ("cost", f"{self.cost}, under the replace-one adjacency {as_replace_one(self.cost)}")
        return [title, protects, cost, *others]

    def _parts(self) -> tuple[Part, ...]:
        rows = [(line.name, decimal_up(line.epsilon)) for line in mechanism_of(self).method.budget]
        return ((("spent on", "epsilon"), rows),)
