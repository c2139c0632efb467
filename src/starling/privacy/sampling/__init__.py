"""Everything random: the one source of randomness, exact samplers of noise, and exact selection."""
