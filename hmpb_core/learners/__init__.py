"""Learners: each finds networks and their conditional tables, by one protocol."""
