"""The words of a bundle's pages, one catalogue a language."""
