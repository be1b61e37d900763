"""Tables that stay in an engine (DuckDB, PostgreSQL, Spark): encoded and counted there by one encoder."""
