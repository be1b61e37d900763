"""Run: rehearse free of charge, then release."""
