"""What a browser session knows: its state, widgets, jobs, login and ledger."""
