"""Explain: the trade-off for people who know no mathematics."""
