"""Utility: the synthetic rows beside the real ones."""
