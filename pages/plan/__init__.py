"""Plan: the guarantee and every stage's share."""
