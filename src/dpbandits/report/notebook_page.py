"""Render a notebook as one self-contained page that runs only its own script."""

import base64
import hashlib

from dpbandits.text.jinja import environment, source

START = "<main>"


def notebook_page(title: str, body: str) -> str:
    """Page of a notebook in the style of the site. Tables in notebooks bring their own styles, which it permits."""
    script = source("notebook.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    named = {"title": title, "body": body, "script": script, "hash": f"sha256-{digest}"}
    return environment().get_template("notebook.html").render(named)


def in_site(page: str, key: str) -> str:
    """Notebook page for the folder `notebooks` of the site, with a link back."""
    back = f'<nav aria-label="Report"><a href="../{key}.html">Back to the report</a></nav>\n'
    return page.replace(START, back + START, 1)
