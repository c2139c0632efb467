"""What needs no records: what a question asks and costs, and what its answer would be worth, told to a server by processes of their own."""
