"""Training: from data to batches (`sources`), the staged step, the loop over it, and what it says."""
