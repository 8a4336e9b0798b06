"""Where things are kept: objects, the ledger, sources. Each is a small interface with an embedded default."""
