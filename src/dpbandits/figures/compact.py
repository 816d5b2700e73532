"""Shorten the SVG that matplotlib writes to about half; nothing moves by more than 0.05 points.

Positions get one decimal, a tenth of a point, and the shapes of markers two. Equal styles become one class. Names and
groups that nothing uses are left out.
"""

import re
from collections import Counter
from collections.abc import Set
from itertools import groupby
from xml.etree import ElementTree

from dpbandits.base.digests import json_digest, short

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NAMESPACES = {
    "": SVG,
    "xlink": LINK,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "cc": "http://creativecommons.org/ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
}
"""Namespaces of matplotlib's SVG, by prefix."""
PLACES = ("d", "x", "y", "width", "height", "points")
"""Attributes that hold positions and lengths in points."""
PLACED, SHAPED = 1, 2  # decimals of positions, and of the shapes of markers
NUMBER = re.compile(r"-?\d+\.\d+")
CURVED = re.compile("[A-KN-Ya-y]")
LAYERED = re.compile(r"(^|[ ;])opacity")  # a group with opacity looks different from elements with it
HASHED = re.compile(r"\b[mpCh][0-9a-f]{10}\b")
NAME = 6  # characters that are kept of a name that is a digest
LINE = re.compile(r"(?<=\d) L ")
USED = re.compile(r"#([\w-]+)")
UNTURNED = re.compile(r"rotate\(-?0(\.0+)? [^)]*\)")
TEXTS = {f"{{{SVG}}}{name}" for name in ("text", "title", "desc", "style")}
"""Elements in which white space counts."""


def compact(svg: str) -> str:
    """Return a shorter SVG that looks the same; equal texts give equal texts."""
    for prefix, uri in NAMESPACES.items():
        ElementTree.register_namespace(prefix, uri)
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own drawing, without entities
    used = {name for each in root.iter() for value in each.attrib.values() for name in USED.findall(value)}
    shapes = {each for group in root.iter(f"{{{SVG}}}defs") for each in group.iter()}
    for each in root.iter():
        _shorten(each, used, SHAPED if each in shapes else PLACED)
    _classes(root)
    _unwrap(root)
    _gather(root)
    _lines(root)
    _rename(root, {name for name in used if HASHED.fullmatch(name)}, used)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _shorten(each: ElementTree.Element, used: set[str], decimals: int) -> None:
    """Round positions; leave out a name that nothing uses and a rotation by 0."""
    if each.get("id") not in used:
        each.attrib.pop("id", None)
    if UNTURNED.fullmatch(each.get("transform", "")):
        del each.attrib["transform"]
    if each.tag == f"{{{SVG}}}svg":
        return
    for name in PLACES:
        if name in each.attrib:
            each.set(name, NUMBER.sub(lambda found: _rounded(found[0], decimals), " ".join(each.attrib[name].split())))
    if not CURVED.search(drawn := each.get("d", "C")):
        each.set("d", LINE.sub(" ", drawn))  # numbers after numbers are lines as well


def _rounded(number: str, decimals: int) -> str:
    text = f"{float(number):.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _classes(root: ElementTree.Element) -> None:
    """Replace each style that occurs more than once by a class, which is known only inside this SVG."""
    counts = Counter(each.get("style") for each in root.iter())
    often = [style for style, count in counts.items() if style and count > 1 and not LAYERED.search(style)]
    classes = {style: f"s{k}" for k, style in enumerate(often)}
    for each in root.iter():
        style = each.get("style", "")
        if style in classes:
            del each.attrib["style"]
            each.set("class", classes[style])
    if classes:
        own = f"s{short(json_digest(often))}"
        root.set("class", own)
        rules = "".join(f".{own} .{name}{{{style}}}\n" for style, name in classes.items())
        sheet = ElementTree.Element(f"{{{SVG}}}style", {"type": "text/css"})
        sheet.text = "\n" + rules
        root.insert(0, sheet)


def _unwrap(parent: ElementTree.Element) -> None:
    """Replace groups without attributes by their elements."""
    children: list[ElementTree.Element] = []
    for child in parent:
        _unwrap(child)
        children += child if child.tag == f"{{{SVG}}}g" and not child.attrib else [child]
    parent[:] = children


def _gather(parent: ElementTree.Element) -> None:
    """Put neighboring marks of one class into a group of this class."""
    children: list[ElementTree.Element] = []
    for (tag, own), found in groupby(parent, key=lambda each: (each.tag, each.get("class"))):
        alike = list(found)
        if tag == f"{{{SVG}}}use" and own and len(alike) > 2:
            group = ElementTree.Element(f"{{{SVG}}}g", {"class": own})
            group[:] = alike
            for each in alike:
                del each.attrib["class"]
            alike = [group]
        else:
            for each in alike:
                _gather(each)
        children += alike
    parent[:] = children


def _rename(root: ElementTree.Element, names: Set[str], used: Set[str]) -> None:
    """Shorten the names that are digests, unless two names would become equal."""
    if len({name[:NAME] for name in names} | (used - names)) < len(used):
        return
    for each in root.iter():
        for attribute, value in each.attrib.items():
            if attribute == "id" or "#" in value:
                each.set(attribute, HASHED.sub(lambda found: found[0][:NAME], value))


def _lines(root: ElementTree.Element) -> None:
    """Put each element on a line of its own, without indentation."""
    if root.tag not in TEXTS and len(root):
        root.text = "\n"
        for child in root:
            _lines(child)
            child.tail = "\n"
