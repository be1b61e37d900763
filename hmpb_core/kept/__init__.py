"""What every row of a private table keeps, as public rules say it: for the steward's eyes only."""
