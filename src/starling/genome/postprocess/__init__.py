"""From noisy answers to what a release tells: public in, public out, deterministic."""
