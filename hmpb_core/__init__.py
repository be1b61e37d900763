"""Differentially private synthetic tables by the HMPrivBayes method."""

__version__ = "0.1.0"
