"""Groups: numbers of groups by size over nested regions that add up exactly (Fioretto, Van Hentenryck and Zhu 2021)."""
