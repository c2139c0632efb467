"""What answers will be worth and what a wanted error costs, before anything is spent: public, of the plan alone. It opens no genotypes."""

from starling.genome.preview.expected import check, epsilon_for, preview
from starling.genome.preview.grids import grids, question_text
from starling.genome.preview.page import ExpectedErrors, expected_errors, note
from starling.genome.preview.typical import Assumed

__all__ = [
    "Assumed",
    "ExpectedErrors",
    "check",
    "epsilon_for",
    "expected_errors",
    "grids",
    "note",
    "preview",
    "question_text",
]
