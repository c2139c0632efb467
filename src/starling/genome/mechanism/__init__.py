"""The noisy answers to an analyst's questions (Johnson and Shmatikov 2013), each an immutable value with its guarantee.

All take the same exact counts, an `ExactStudy`, and draw by the privacy core alone. A mechanism checks its question against the plan when
it is made, so that a question that the plan does not have is refused before anything is charged.
"""
