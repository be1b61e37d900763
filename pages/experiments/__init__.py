"""Experiments: the papers' tables and figures, measured anew on this machine."""
