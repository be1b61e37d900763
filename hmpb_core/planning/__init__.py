"""Everything decided and foreseen before data is touched."""
