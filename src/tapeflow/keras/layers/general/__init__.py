"""Layers without a family: `Dense`, `Embedding`, `Activation`, `Input`, `Lambda`, and wrappers."""
