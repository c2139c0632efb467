"""Statistics of contingency tables: public arithmetic on counts, whoever they belong to."""
