"""Pictures of released grids."""
