"""The pages of a server: one module for each screen. A page calls what the API's route calls, and shows the same values."""
