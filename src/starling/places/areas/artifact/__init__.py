"""What a release of areas is made of: its public plan, its measurements, its tables and its words."""
