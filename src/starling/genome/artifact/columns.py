"""Every column of a genome release, declared once: its type, and what it says to whoever reads the data package.

Columns are called what PLINK calls them where it has them: CHR, SNP, BP, A1, A2, TEST, P of its association files; BP1, BP2, KB, NSNPS,
SNPS of .blocks.det; CHR_A, ..., R2, DP of .ld.
"""

from typing import Final

import pyarrow as pa

from starling.genome.plan import Plan, Question, SnpCorr, kind
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text, column

_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()
_LIKELY: Final = (
    "of a range that holds that of the exact counts with a probability of at least 95 %, each range on its own"
)

_OF: Final = (
    "of people who carry the allele (dominant, recessive model) or of the allele itself (genotypic, allelic model)"
)

COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "ROUND": (_WHOLE, "Order of selection, from 1"),
    "CHR": (_TEXT, "Chromosome"),
    "SNP": (_TEXT, "Id of the SNP in the plan's list"),
    "BP": (_WHOLE, "Position on the chromosome, in base pairs from 1"),
    "A1": (_TEXT, "The allele that is carried, public"),
    "A2": (_TEXT, "The other allele, public"),
    "TEST": (_TEXT, "g, chi2, fisher, logistic (likelihood ratio), wald or trend (Cochran-Armitage)"),
    "LOW": (_WHOLE, "The fewest SNPs that the answer stands for"),
    "HIGH": (_WHOLE, "The most SNPs that it stands for"),
    "CASES_CARRY": (_WHOLE, "Cases who carry the allele, with noise"),
    "CASES_NOT": (_WHOLE, "Cases who do not, with noise"),
    "CONTROLS_CARRY": (_WHOLE, "Controls who carry the allele, with noise"),
    "CONTROLS_NOT": (_WHOLE, "Controls who do not, with noise"),
    "CASES_0": (_WHOLE, "Cases without the allele, with noise"),
    "CASES_1": (_WHOLE, "Cases with one copy, with noise"),
    "CASES_2": (_WHOLE, "Cases with two copies, with noise"),
    "CONTROLS_0": (_WHOLE, "Controls without the allele, with noise"),
    "CONTROLS_1": (_WHOLE, "Controls with one copy, with noise"),
    "CONTROLS_2": (_WHOLE, "Controls with two copies, with noise"),
    "P": (_NUMBER, "p-value of the noisy counts, negative ones taken as 0; not corrected for the number of SNPs"),
    "P_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "P_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "LOG10_P": (_NUMBER, "log10 of P, where P itself may be too small to write"),
    "LOG10_P_LOW": (_NUMBER, "log10 of P_LOW"),
    "LOG10_P_HIGH": (_NUMBER, "log10 of P_HIGH"),
    "OR": (_NUMBER, f"Odds ratio {_OF} of the noisy counts, an empty cell counted as 1/2"),
    "OR_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "OR_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "F_A": (_NUMBER, f"Share {_OF} among cases, of the noisy counts"),
    "F_A_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "F_A_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "F_U": (_NUMBER, f"Share {_OF} among controls, of the noisy counts"),
    "F_U_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "F_U_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "BP1": (_WHOLE, "Position of the block's first SNP; missing where the answer is that no block is valid"),
    "BP2": (_WHOLE, "Position of the block's last SNP; missing where no block is valid"),
    "KB": (_NUMBER, "Length of the block in thousands of base pairs; missing where no block is valid"),
    "NSNPS": (_WHOLE, "SNPs of the block, ends included; 0 where the answer is that no block is valid"),
    "FIRST": (_TEXT, "Id of the block's first SNP; missing where no block is valid"),
    "LAST": (_TEXT, "Id of the block's last SNP; missing where no block is valid"),
    "SNPS": (_TEXT, "Ids of all SNPs of the block, with | between them; missing where no block is valid"),
    "CHR_A": (_TEXT, "Chromosome of the first SNP"),
    "BP_A": (_WHOLE, "Position of the first SNP on the chromosome"),
    "SNP_A": (_TEXT, "Id of the first SNP"),
    "CHR_B": (_TEXT, "Chromosome of the second SNP"),
    "BP_B": (_WHOLE, "Position of the second SNP on the chromosome"),
    "SNP_B": (_TEXT, "Id of the second SNP"),
    "BOTH": (_WHOLE, "People who carry both, with noise"),
    "A_ONLY": (_WHOLE, "People who carry the first alone, with noise"),
    "B_ONLY": (_WHOLE, "People who carry the second alone, with noise"),
    "NEITHER": (_WHOLE, "People who carry neither, with noise"),
    "R2": (_NUMBER, "r^2 of the noisy counts, negative ones taken as 0"),
    "R2_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "R2_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "DP": (_NUMBER, "|D'| of the noisy counts, negative ones taken as 0"),
    "DP_LOW": (_NUMBER, f"Lower end {_LIKELY}"),
    "DP_HIGH": (_NUMBER, f"Upper end {_LIKELY}"),
    "WHAT": (_TEXT, "Which answer was selected"),
    "CANDIDATES": (_WHOLE, "Among how many, at first"),
    "ROUNDS": (_WHOLE, "How many were selected, one after the other"),
    "EPSILON": (_TEXT, "Of all rounds together, an exact ratio"),
    "OFF_BY": (
        _WHOLE,
        "Persons by which the scores of all rounds fall short of the best ones at most, with a probability of at least 95 %",
    ),
}
WORDS: Final = {name: words for name, (_, words) in COLUMNS.items()}
OPTIONAL: Final = ("BP1", "BP2", "KB", "FIRST", "LAST", "SNPS")
"""Missing where no block is valid; a block's CHR too."""

PLACE: Final = ("CHR", "SNP", "BP", "A1", "A2")
TWO: Final = ("CASES_CARRY", "CASES_NOT", "CONTROLS_CARRY", "CONTROLS_NOT")
THREE: Final = ("CASES_0", "CASES_1", "CASES_2", "CONTROLS_0", "CONTROLS_1", "CONTROLS_2")
P: Final = ("P", "P_LOW", "P_HIGH", "LOG10_P", "LOG10_P_LOW", "LOG10_P_HIGH")
EFFECT: Final = ("OR", "OR_LOW", "OR_HIGH", "F_A", "F_A_LOW", "F_A_HIGH", "F_U", "F_U_LOW", "F_U_HIGH")
BLOCK: Final = ("ROUND", "CHR", "BP1", "BP2", "KB", "NSNPS", "FIRST", "LAST", "SNPS")
PAIR: Final = ("CHR_A", "BP_A", "SNP_A", "CHR_B", "BP_B", "SNP_B", "BOTH", "A_ONLY", "B_ONLY", "NEITHER")
SELECTION: Final = ("WHAT", "CANDIDATES", "ROUNDS", "EPSILON", "OFF_BY")

TITLES: Final = {
    "number": "How many SNPs are significant",
    "snps": "SNPs that were found or asked for",
    "blocks": "Blocks of correlated SNPs",
    "pairs": "Correlations of SNPs",
    "selections": "How far the selected answers may be off",
}
KEYS: Final = {
    "number": (),
    "snps": ("SNP",),
    "blocks": ("ROUND",),
    "pairs": ("SNP_A", "SNP_B"),
    "selections": ("WHAT",),
}

_HELD: Final = {
    "num_sig": ("number", "selections"),
    "loc_sig": ("snps", "selections"),
    "loc_block": ("blocks", "selections"),
    "snp_pval": ("snps",),
    "snp_corr": ("pairs",),
    "explore": ("number", "snps", "blocks", "selections"),
}
"""Tables of the release of each kind of question."""


def schemas(plan: Plan, question: Question) -> dict[str, pa.Schema]:
    """The tables of a release, by name, with their columns: public."""
    asked = kind(question)
    counts = THREE if plan.model in ("genotypic", "allelic") else TWO
    measure = "DP" if isinstance(question, SnpCorr) and question.correlation == "dprime" else "R2"
    columns = {
        "number": ("TEST", "LOW", "HIGH"),
        "snps": (
            *(("ROUND",) if asked != "snp_pval" else ()),
            *PLACE,
            *(("TEST", *counts, *P, *EFFECT) if asked != "loc_sig" else ()),
        ),
        "blocks": BLOCK,
        "pairs": (*PAIR, measure, f"{measure}_LOW", f"{measure}_HIGH"),
        "selections": SELECTION,
    }
    return {name: pa.schema([(column, COLUMNS[column][0]) for column in columns[name]]) for name in _HELD[asked]}


def tables(plan: Plan, question: Question) -> tuple[Table, ...]:
    """The tables of a release, each as Parquet and as CSV."""
    return tuple(
        Table(
            name,
            TITLES[name],
            schema,
            WORDS,
            KEYS[name],
            (*OPTIONAL, "CHR") if name == "blocks" else OPTIONAL,
            (Text("csv", {column: column for column in schema.names}),),
        )
        for name, schema in schemas(plan, question).items()
    )


def list_sheet(path: str, schema: pa.Schema) -> Sheet:
    """The plan's SNP list for the data package."""
    columns = tuple(column(field.name, field.type, WORDS[field.name]) for field in schema)
    return Sheet(path, "The public SNP list, in plan order", columns, ("SNP",))
