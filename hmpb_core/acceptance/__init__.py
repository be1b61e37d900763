"""Pass marks, and candidate plans that are tried against them inside one guarantee."""
