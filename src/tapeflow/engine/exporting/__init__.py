"""Programs in files: writing them as StableHLO, and checking those from outside before they run."""
