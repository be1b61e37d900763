"""Weights: how risk shifts the noise."""
