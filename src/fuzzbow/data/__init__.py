"""Data files of the package; NOTICE.md lists their sources."""
