"""What several pages use: layout, figures, palette, downloads, error boxes."""
