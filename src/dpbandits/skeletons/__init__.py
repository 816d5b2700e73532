"""Skeletons of algorithms and papers: the files that `dpbandits new` writes."""
