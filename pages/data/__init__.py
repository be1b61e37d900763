"""Data: the table and its codebook."""
