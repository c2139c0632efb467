"""What released flows answer, and how far each answer may be off."""
