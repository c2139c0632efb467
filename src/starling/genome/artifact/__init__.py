"""What an answer says and holds: its columns, its noisy answer, its public plan, its words for report and registry."""
