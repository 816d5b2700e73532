"""How Sphinx builds the documentation: `make docs`. It needs no network."""

from importlib.metadata import version as version_of

project = "dpbandits"
author = "The dpbandits authors"
version = release = version_of("dpbandits")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_click"]
exclude_patterns = ["_build", "papers/notes"]
nitpicky = True

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "dpbandits"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
