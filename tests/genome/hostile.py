"""A small study whose public names are hostile to pages, answered by a question of each kind."""

from dataclasses import dataclass
from pathlib import Path

from starling import genome
from starling.genome.plan import Plan
from starling.release.payment import PaymentOptions
from tests.genome.studies import Study, plan_of, write_bed
from tests.genome.worlds import QUESTIONS, a_study

TITLE = '"><script>alert(1)</script>{{7*7}}'
NAMES = (
    "rs1",
    "rs2",
    '"><script>alert(1)</script>',
    "'onmouseover='alert(1)",
    "{{7*7}}{%raw%}",
    "javascript:alert(1)",
    "</table></main>",
    "x" * 300,
)


@dataclass(frozen=True)
class HostileStudy(Study):
    """A study with NAMES for its SNPs."""

    @property
    def ids(self) -> list[str]:
        return [*NAMES]


def write_hostile(folder: Path) -> dict[str, Path]:
    """The folders of releases, by the kinds of their questions."""
    folder.mkdir(parents=True, exist_ok=True)
    small = a_study()
    study = HostileStudy(small.copies, small.alleles, small.phenotypes, small.places)
    prefix = write_bed(study, folder / "study")
    plan_of(study, folder)
    file = folder / "plan.toml"
    file.write_text(file.read_text().replace('"Small"', f"'{TITLE}'"))
    plan, releases = Plan.load(file), {}
    for kind, question in QUESTIONS.items():
        releases[kind] = folder / kind
        genome.release(plan, question, prefix, releases[kind], payment=PaymentOptions(unvalidated=True))
    return releases
