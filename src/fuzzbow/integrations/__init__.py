"""Integrations with other libraries, one module each, imported only if used."""
