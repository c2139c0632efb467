"""What a release of flows is made of: its public plan and measurements, its tables, its words."""
