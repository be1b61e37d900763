"""Bins and values learned from a private fine histogram: measuring, tree, bins, learning."""
