"""Bayesian networks: their form, how they are learned, how their tables share a budget."""
