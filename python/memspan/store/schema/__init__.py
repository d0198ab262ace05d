"""The tables of a SQLite store, and the steps from one version of them to the next."""
