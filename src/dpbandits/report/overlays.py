"""The values of a drawn figure: read out of its SVG, to be laid over the picture of it."""

from dataclasses import dataclass
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Value:
    """One drawn number: its place in the picture, how near one must point, what it says, and the title of its panel."""

    x: float
    y: float
    reach: float
    says: str
    panel: str = ""


@dataclass(frozen=True)
class Overlay:
    """A picture's coordinates, the notes on it and the values in it; a figure of which no values are known has none."""

    view_box: str
    notes: str
    values: tuple[Value, ...]

    @property
    def size(self) -> tuple[str, str]:
        """Width and height of the picture."""
        width, height = self.view_box.split()[2:]
        return width, height


def overlay(svg: str) -> Overlay:
    """The notes on a figure, the first line of its description, and its values, from the group `values` that ends it.

    Raises
    ------
    ValueError
        It is not an SVG, has no coordinates, or a value lacks its position or its text.
    """
    try:
        root = ElementTree.fromstring(svg)  # noqa: S314 - our own drawing, without entities
    except ElementTree.ParseError as error:
        raise ValueError(f"is not an SVG ({error})") from None
    view_box = root.get("viewBox", "")
    if root.tag != f"{SVG}svg" or len(view_box.split()) != 4:
        raise ValueError("is not an SVG with a viewBox of four numbers")
    group = root.find(f"{SVG}g[@class='values']")
    notes = root.findtext(f"{SVG}desc", "").partition("\n")[0]
    panels = [] if group is None else [group, *group.findall(f"{SVG}g")]
    values = (_value(circle, each.get("data-panel", "")) for each in panels for circle in each.findall(f"{SVG}circle"))
    return Overlay(view_box, notes, tuple(values))


def _value(circle: ElementTree.Element, panel: str) -> Value:
    x, y, reach = (float(circle.get(name, "nan")) for name in ("cx", "cy", "r"))
    says = circle.findtext(f"{SVG}title", "").strip()
    if not says or not reach > 0.0 or x != x or y != y:
        raise ValueError(f"a value lacks its position or its text: {circle.attrib}")
    return Value(x, y, reach, says, panel)
