"""What a release costs, for every accountant: composition, privacy losses, Renyi divergence, (epsilon, delta)."""
