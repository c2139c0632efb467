"""What a plan will give, before anything is spent: errors, what groups will get, and a page of both. Public: it opens no records."""

from starling.tables.preview.errors import SIZES, BranchPreview, Error, LevelPreview, Preview, SizePreview, preview
from starling.tables.preview.expected_detail import ExpectedDetail, Sizes, assumed, expect_detail, read_sizes
from starling.tables.preview.page import TablesPage

__all__ = [
    "SIZES",
    "BranchPreview",
    "Error",
    "ExpectedDetail",
    "LevelPreview",
    "Preview",
    "SizePreview",
    "Sizes",
    "TablesPage",
    "assumed",
    "expect_detail",
    "preview",
    "read_sizes",
]
