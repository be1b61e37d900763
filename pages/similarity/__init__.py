"""Similarity: the noisy matrix and its clusters."""
