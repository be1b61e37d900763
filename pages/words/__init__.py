"""Words: the catalogue, guarantees and errors in the reader's language. Imports nothing of the app."""
