"""Evaluation of measures on your data, the paper's experiments on STS, and distillation."""
