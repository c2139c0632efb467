"""What a tables release says and holds: its columns, its measurements, its public plan, its words for report and registry."""
