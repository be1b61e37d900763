"""Anonymize: a p-sensitive k-anonymous table, beside and apart from differential privacy."""
