"""Compare: several methods at the same total budget."""
