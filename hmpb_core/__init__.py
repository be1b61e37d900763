"""Differentially private synthetic tables by the HMPrivBayes method."""

from typing import TYPE_CHECKING, Any

from hmpb_core.errors import HmpbError, InputError, PrivacyError

if TYPE_CHECKING:
    from hmpb_core.codebook import Codebook
    from hmpb_core.facade import HMPrivBayes

__version__ = "0.1.0"

__all__ = ["Codebook", "HMPrivBayes", "HmpbError", "InputError", "PrivacyError"]


def __getattr__(name: str) -> Any:
    """Load what needs pandas and OpenDP only when it is asked for: a plan needs neither."""
    if name == "HMPrivBayes":
        from hmpb_core.facade import HMPrivBayes

        return HMPrivBayes
    if name == "Codebook":
        from hmpb_core.codebook import Codebook

        return Codebook
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Name what the package exports."""
    return sorted([*globals(), "Codebook", "HMPrivBayes"])
