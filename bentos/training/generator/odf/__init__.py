"""Documents as flat OpenDocument text and slides, set by LibreOffice: what word processors make."""
