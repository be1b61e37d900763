"""Differentially private synthetic tables by the HMPrivBayes method."""

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError, InputError, PrivacyError
from hmpb_core.facade import HMPrivBayes

__version__ = "0.1.0"

__all__ = ["Codebook", "HMPrivBayes", "HmpbError", "InputError", "PrivacyError"]
