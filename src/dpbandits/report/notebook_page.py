"""A rendered notebook as a page that needs nothing but itself, and runs no script but its own."""

import base64
import hashlib

from dpbandits.text.jinja import environment, source

START = "<main>"


def notebook_page(title: str, body: str) -> str:
    """The page, in the style of the site. Tables of a notebook have styles of their own, which the page allows."""
    script = source("notebook.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    named = {"title": title, "body": body, "script": script, "hash": f"sha256-{digest}"}
    return environment().get_template("notebook.html").render(named)


def in_site(page: str, key: str) -> str:
    """The page as it stands in the folder `notebooks` of the site: with a way back."""
    back = f'<nav aria-label="Report"><a href="../{key}.html">Back to the report</a></nav>\n'
    return page.replace(START, back + START, 1)
