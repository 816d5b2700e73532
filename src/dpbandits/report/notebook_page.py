"""A rendered notebook as a page that needs nothing but itself."""

from dpbandits.text.jinja import environment

START = "<main>"


def notebook_page(title: str, body: str) -> str:
    """The page, in the style of the site."""
    return environment().get_template("notebook.html").render(title=title, body=body)


def in_site(page: str, key: str) -> str:
    """The page as it stands in the folder `notebooks` of the site: with a way back."""
    back = f'<nav aria-label="Report"><a href="../{key}.html">Back to the report</a></nav>\n'
    return page.replace(START, back + START, 1)
