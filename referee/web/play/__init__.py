"""The pages on which a person plays: the choice of a match, and the seat."""
