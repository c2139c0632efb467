"""Counts from confidential genotypes: contingency tables of SNPs and of pairs of SNPs."""
