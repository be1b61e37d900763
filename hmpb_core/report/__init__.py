"""What is said about a release, and to whom: explanations, handouts, editions of the report."""
