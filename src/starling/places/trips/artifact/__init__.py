"""What a release of trips on a grid is made of: its public plan and measurements, its tables, its words."""
