"""Scores of the selections among SNPs and among blocks: integers that one replaced patient moves by at most 1."""
