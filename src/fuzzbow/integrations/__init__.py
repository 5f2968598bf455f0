"""fuzzbow inside other libraries: one module each, imported only when asked for."""
