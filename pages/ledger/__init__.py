"""Ledger: what was registered, charged and released."""
