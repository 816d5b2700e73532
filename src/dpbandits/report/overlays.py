"""Read the data points of a figure from its SVG, to overlay them on its picture."""

from dataclasses import dataclass
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Value:
    """One data point: position, selection radius, text, and title of its panel."""

    x: float
    y: float
    reach: float
    says: str
    panel: str = ""


@dataclass(frozen=True)
class Overlay:
    """Coordinate system of a picture, its caption and its data points; a figure without known values has none."""

    view_box: str
    notes: str
    values: tuple[Value, ...]

    @property
    def size(self) -> tuple[str, str]:
        """Width and height of the picture."""
        width, height = self.view_box.split()[2:]
        return width, height


def overlay(svg: str) -> Overlay:
    """Caption of a figure, from the first line of its description, and its values, from the final group `values`.

    Raises
    ------
    ValueError
        The text is not an SVG, has no viewBox, or a value lacks its position or its text.
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
