"""From noisy measurements to answers: public in, public out, deterministic."""
