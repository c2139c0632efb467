"""What registered data may be used for, as their custodian says it in public: in words, and by codes of the Data Use Ontology (DUO).

DUO is the vocabulary in which data about people, genomes above all, are described for those who decide over access (Lawson et al.,
"The Data Use Ontology to streamline responsible access to human biomedical datasets", Cell Genomics 2021). A code is kept as it was
given, known here or not: new ones are added there, and nothing that Starling does depends on one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starling.errors import ParameterError, plain

LONGEST: Final = 2000
"""Letters of a purpose."""
MOST: Final = 20
"""Codes of a dataset."""
_CODE: Final = re.compile(r"DUO:[0-9]{7}")

KNOWN: Final[Mapping[str, str]] = {
    "DUO:0000004": "no restriction",
    "DUO:0000006": "health or medical or biomedical research",
    "DUO:0000007": "disease specific research",
    "DUO:0000011": "population origins or ancestry research only",
    "DUO:0000012": "research specific restrictions",
    "DUO:0000015": "no general methods research",
    "DUO:0000016": "genetic studies only",
    "DUO:0000018": "not for profit, non commercial use only",
    "DUO:0000019": "publication required",
    "DUO:0000020": "collaboration required",
    "DUO:0000021": "ethics approval required",
    "DUO:0000022": "geographical restriction",
    "DUO:0000024": "publication moratorium",
    "DUO:0000025": "time limit on use",
    "DUO:0000026": "user specific restriction",
    "DUO:0000027": "project specific restriction",
    "DUO:0000028": "institution specific restriction",
    "DUO:0000029": "return to database or resource",
    "DUO:0000042": "general research use",
    "DUO:0000043": "clinical care use",
    "DUO:0000044": "population origins or ancestry research prohibited",
    "DUO:0000045": "not for profit organisation use only",
    "DUO:0000046": "non-commercial use only",
}
"""Codes and what they are called."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What data may be used for. Everybody with a token may read it.

    Attributes:
        text: In words; empty where nothing is said.
        codes: Codes of the Data Use Ontology, such as DUO:0000042, each once.
    """

    text: str = ""
    codes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST or self.text != plain(self.text):
            problem = f"is longer than {LONGEST:,} letters, or holds a character that is not printed"
            raise ParameterError("purpose", problem, "say it in fewer words, on one line")
        if len(self.codes) > MOST or len(set(self.codes)) < len(self.codes):
            raise ParameterError("duo", f"are more than {MOST}, or one is there twice", "name each code once")
        if not all(map(_CODE.fullmatch, self.codes)):
            raise ParameterError("duo", "is no code of the Data Use Ontology", "write it like DUO:0000042")


UNSAID: Final = Purpose()
