"""Where elements come from: memory, generators, text, records, csv, SQL, saved datasets."""
