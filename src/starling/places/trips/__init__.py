"""Trips between the cells of a public grid: how many lead from any rectangle to any."""
