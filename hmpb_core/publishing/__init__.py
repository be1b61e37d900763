"""What leaves: the workspace with its ledger, the zones, and the release bundle."""
