"""Where rows are: everything that reads a private table and gives exact counts."""
