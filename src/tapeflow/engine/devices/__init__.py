"""Devices, memory and processes: where values lie, how JAX starts, and what forked children must not do."""
