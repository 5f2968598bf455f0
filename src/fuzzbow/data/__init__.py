"""Files that travel with the package; NOTICE.md says where they come from."""
