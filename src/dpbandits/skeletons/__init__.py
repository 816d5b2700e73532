"""Skeletons of algorithms and papers: the files with which `dpbandits new` starts one."""
