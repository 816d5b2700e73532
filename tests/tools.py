"""Load a script of `tools/`, which is not a package, as a module."""

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.shipped import ROOT


def tool(name: str) -> ModuleType:
    """The module in tools/<name>.py."""
    specification = spec_from_file_location(name, ROOT / f"tools/{name}.py")
    assert specification
    assert specification.loader
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
