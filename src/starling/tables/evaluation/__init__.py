"""What an evaluation of a release says, and how it is shown. Not private: computed behind the custodian's door, in evaluate.py."""
