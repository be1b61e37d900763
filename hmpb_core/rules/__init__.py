"""Public rules of a table: declared in its codebook, obeyed by every synthetic row."""
