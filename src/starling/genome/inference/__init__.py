"""What noisy answers say of the truth, and how far they may be off: public in, public out, deterministic."""
