"""A rendered notebook as a page that needs nothing but itself."""

from dpbandits.report.jinja import environment


def notebook_page(title: str, body: str) -> str:
    """The page, in the style of the site."""
    return environment().get_template("notebook.html").render(title=title, body=body)
