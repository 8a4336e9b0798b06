"""Read-only pages about collections and their runs, made from ledger and object store."""
