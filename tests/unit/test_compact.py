"""A compact SVG draws the same elements at the same places in the same styles as the one that matplotlib wrote."""

import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from dpbandits.figures.compact import compact
from dpbandits.figures.style import style

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
PLACES = ("d", "x", "y", "width", "height", "points", "cx", "cy", "r", "transform")
NAMED = re.compile(r"\b([mpC][0-9a-f]{5})[0-9a-f]{5}\b")
OTHERS = ("clip-path", "{http://www.w3.org/1999/xlink}href", "fill")


def drawn():
    """SVG of a figure with lines, markers, a band, bars, a dashed line, turned text, mathematics and a legend."""
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    rng = np.random.default_rng(3)
    x, y = np.arange(40), rng.normal(size=40).cumsum()
    axes.plot(x, y, marker="o", label="one < two & three")
    axes.plot(x, -y, "--", marker="^", label=r"$\varepsilon_0 = 1$")
    axes.fill_between(x, y - 1, y + 1, alpha=0.2)
    axes.bar(x[:5], y[:5])
    axes.axhline(0.5, linestyle=":")
    axes.set_yscale("symlog")
    axes.set_ylabel("regret  $R_t$")
    axes.text(3, 1, "turned", rotation=30)
    axes.legend()
    with style():
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def elements(svg):
    """Tag, style, numbers of positions, other attributes and text of all elements that draw something."""
    root = ElementTree.fromstring(svg)  # noqa: S314
    sheets = "".join(each.text for each in root.iter(f"{SVG}style"))
    styles = dict(re.findall(r"\.\w+ \.(\w+)\{(.*)\}", sheets))
    groups = {child: group for group in root.iter() for child in group}
    for each in root.iter():
        if each.tag in {f"{SVG}{name}" for name in ("path", "use", "text", "tspan", "rect", "circle")}:
            turned = {"transform": each.get("transform", "").replace("rotate(-0 ", "rotate(0 ")}
            places = each.attrib | ({} if turned["transform"].startswith("rotate(0 ") else turned)
            numbers = [float(found) for name in PLACES[:-1] for found in NUMBER.findall(places.get(name, ""))]
            how = each.get("style") or styles.get(each.get("class") or groups[each].get("class"))
            others = [NAMED.sub(r"\1", each.get(name, "")) for name in OTHERS]
            yield each.tag, how, numbers, each.text, others


def test_every_element_is_drawn_as_before():
    svg = drawn()
    short = compact(svg)
    before, after = list(elements(svg)), list(elements(short))
    assert len(after) == len(before) > 50
    for (tag, how, places, *rest), (own_tag, own_how, own_places, *own_rest) in zip(before, after, strict=True):
        assert (own_tag, own_how, own_rest) == (tag, how, rest)
        assert own_places == pytest.approx(places, abs=0.05001)
    assert len(short) < 0.7 * len(svg)


def test_the_rules_one_by_one():
    svg = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1.1234 2" height="2.3456pt">
 <g id="figure_1">
  <g id="line_1"><path d="M 1.23456 2
L -0.00123 4.999
" style="fill: none"/></g>
  <g clip-path="url(#p1)"><path d="M 1 2 L 3 4 Q 5 6 7 8" style="fill: none"/></g>
  <defs><clipPath id="p1"><rect x="7.0101" y="0" width="10" height="100.5"/></clipPath></defs>
  <text style="fill: red" x="1.005001" transform="rotate(-0 1.005 7)"> a  b <tspan> c</tspan></text>
  <text transform="rotate(-90 1.005 7)">d</text>
 </g>
</svg>
"""
    assert (
        compact(svg)
        == """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1.1234 2" height="2.3456pt" class="sab16776b">
<style type="text/css">
.sab16776b .s0{fill: none}
</style>
<path d="M 1.2 2 0 5" class="s0" />
<g clip-path="url(#p1)">
<path d="M 1 2 L 3 4 Q 5 6 7 8" class="s0" />
</g>
<defs>
<clipPath id="p1">
<rect x="7.01" y="0" width="10" height="100.5" />
</clipPath>
</defs>
<text style="fill: red" x="1"> a  b <tspan> c</tspan></text>
<text transform="rotate(-90 1.005 7)">d</text>
</svg>
"""
    )


HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


@pytest.mark.parametrize(
    ("inside", "kept"),
    [
        ('<path d="M 0 0 L 1 1 z L 2 2"/>', 'd="M 0 0 1 1 z L 2 2"'),
        ('<g style="opacity: 0.5"/><g style="opacity: 0.5"/>', 'style="opacity: 0.5"'),
        ('<text>m0123456789 is</text><path id="m0123456789"/><use xlink:href="#m0123456789"/>', ">m0123456789 is<"),
        ('<path id="m0123456789"/><use xlink:href="#m0123456789"/>', '<use xlink:href="#m01234" />'),
        (
            '<path id="m0123456789"/><path id="m01234aaaaa"/>'
            '<use xlink:href="#m0123456789"/><use xlink:href="#m01234aaaaa"/>',
            'xlink:href="#m01234aaaaa"',
        ),
        ('<path d="M 1.26e-05 0 L 3 4"/>', 'd="M 1.3e-05 0 L 3 4"'),
    ],
)
def test_what_would_look_different_stays(inside, kept):
    assert kept in compact(f"{HEAD}{inside}</svg>")


def test_equal_texts_give_equal_texts_and_a_compact_one_stays():
    short = compact(drawn())
    assert compact(drawn()) == short
    assert list(elements(compact(short))) == list(elements(short))
