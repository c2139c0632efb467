"""Earlier releases about the same people: what a new plan adds to them, topping one up, and comparing two. All from released folders."""
