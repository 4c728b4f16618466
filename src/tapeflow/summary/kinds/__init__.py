"""One module for each kind of summary that users log: scalars, images, histograms, text and others.

What a call has in common with all others is `summary.emission`; how events reach a file is `summary.event_files`.
"""
