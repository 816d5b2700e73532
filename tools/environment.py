"""Print environment.yml for conda users: the pins of requirements.lock that apply to Linux with Python 3.11."""

import re
from pathlib import Path

from packaging.markers import Marker

LINUX = {
    "python_version": "3.11",
    "python_full_version": "3.11.0",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
    "os_name": "posix",
    "extra": "",
}
HEAD = """\
# Made by `make lock` from requirements.lock; do not edit. The same pins, for users of conda.
name: dpbandits
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python =3.11
  - pip
  - pip:
"""


def pins(lock: str) -> list[str]:
    """Pins `name==version` whose marker holds on Linux with Python 3.11."""
    found = re.findall(r"^([A-Za-z0-9._-]+==[^ ;\\]+)(?: ; ([^\\]+?))?(?: \\)?$", lock, re.M)
    return [pin for pin, marker in found if not marker or Marker(marker).evaluate(LINUX)]


if __name__ == "__main__":
    lock = Path(__file__).resolve().parents[1] / "requirements.lock"
    print(HEAD + "\n".join(f"      - {pin}" for pin in pins(lock.read_text(encoding="utf-8"))))
