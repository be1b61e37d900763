"""Micro-aggregation: p-sensitive k-anonymous tables. Not differential privacy, and never called so."""
