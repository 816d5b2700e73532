"""`python -m dpbandits`: the command where the package is on the path and not installed."""

from dpbandits.cli.main import main

main(prog_name="dpbandits")
