"""The words of the report, one catalogue a language."""
