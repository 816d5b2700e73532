"""Exit with 1 if files of installed packages are missing in this Python environment, and name the first package."""

import sys
from importlib.metadata import distributions

for found in distributions():
    for file in found.files or ():
        if file.suffix != ".pyc" and not file.locate().exists():
            print(f"{found.name} lacks {file}", file=sys.stderr)
            sys.exit(1)
