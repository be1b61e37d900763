"""Graphical models: triangulated graphs, fits to noisy tables, and the networks read off them."""
