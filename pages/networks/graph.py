"""The interactive network: pyvis' model of it, and a page of our own that loads nothing from anywhere.

pyvis' own pages call public servers in every mode; only its node and edge lists and the copy of
vis-network that it ships are used. Names come from an upload: they enter the page as JSON in which
no character can end the script, and vis draws them on a canvas as plain text.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from hmpb_core.utility.charts import short
from pages.networks.facts import Graph, Kind
from pages.networks.layout import LONGEST, places_of
from pages.shared.palette import LIGHT, Palette
from pages.words.assets import template

SHAPES = ("dot", "square", "diamond", "triangle", "hexagon", "star", "triangleDown")
"""With the colours, which are as many, they tell 49 clusters apart."""
SMALLEST, GROWTH = 10, 16
DASHES: dict[Kind, tuple[int, ...]] = {
    "inside": (),
    "bridge": (12, 6),
    "across": (2, 7),
    "rule": (14, 4, 2, 4),
}
"""Strokes and gaps of an arrow, in pixels: the kinds differ in more than colour."""


def shape_of(cluster: int) -> int:
    """The place of a cluster's shape: one further each time its colours begin anew, so no pair is alike."""
    return (cluster + cluster // len(LIGHT.categories)) % len(SHAPES)


def page_of(
    graph: Graph, look: Palette, *, title: str, language: str, words: dict[str, str], height: int
) -> str:
    """Give the page of a graph.

    Args:
        graph: What is drawn.
        look: The theme's colours.
        title: Title of the page.
        language: Code of the words' language.
        words: The words ``cluster``, ``risk``, ``parents``, ``cells``, ``noise``, ``strength``, ``png``, and
            the kinds of arrows.
        height: In pixels.
    """
    nodes, edges = _model(graph, look, words)
    script, style = _vis()
    return template("network.html.j2").render(
        title=title,
        language=language,
        style=style,
        script=script,
        height=height - 8,
        look=look,
        png=words["png"],
        nodes=nodes,
        edges=edges,
        legend=legend(graph, words),
        options=_options(look),
    )


def _model(
    graph: Graph, look: Palette, words: dict[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    from pyvis.network import Network

    net = Network(directed=True)
    places, tall = places_of(graph), places_of(graph, tall=True)
    names = {node.index: node.name for node in graph.nodes}
    for node in graph.nodes:
        colour = look.of(node.cluster)
        lines = [
            node.name,
            f"{words['cluster']} {node.cluster + 1}",
            f"{words['risk']} {node.risk:.2f}",
            f"{words['parents']} {', '.join(names.get(p, '') for p in node.parents) or '-'}",
            f"{words['cells']} {node.cells:,}",
            f"{words['noise']} {node.noise_sd:,.1f}",
        ]
        net.add_node(
            node.index,
            label=short(node.name, LONGEST),
            title="\n".join(lines),
            shape=SHAPES[shape_of(node.cluster)],
            x=places[node.index][0],
            y=places[node.index][1],
            tall=tall[node.index],
            size=SMALLEST + GROWTH * node.risk,
            color={
                "background": colour,
                "border": look.text,
                "highlight": {"background": look.other, "border": look.text},
            },
        )
    for arrow in graph.arrows:
        net.add_edge(
            arrow.parent,
            arrow.child,
            width=1.0 + 9.0 * arrow.strength,
            title=f"{names[arrow.parent]} → {names[arrow.child]}: {words['strength']} {arrow.strength:.2f}"
            + ("" if arrow.kind == "inside" else f"\n{words[arrow.kind]}"),
            dashes=list(DASHES[arrow.kind]) or False,
        )
    return net.nodes, net.edges


def legend(graph: Graph, words: dict[str, str]) -> list[dict[str, str]]:
    """What the strokes of the arrows mean; nothing where all are alike."""
    if graph.kinds in ((), ("inside",)):
        return []
    return [
        {"dash": " ".join(map(str, DASHES[kind])) or "none", "words": words[kind]} for kind in graph.kinds
    ]


def _options(look: Palette) -> dict[str, Any]:
    return {
        "nodes": {
            "font": {"color": look.text, "size": 26, "strokeWidth": 6, "strokeColor": look.back},
            "scaling": {"label": {"drawThreshold": 1}},
        },
        "edges": {
            "arrows": {"to": {"enabled": True, "scaleFactor": 0.6}},
            "color": {"color": look.soft, "highlight": look.other, "opacity": 0.75},
            "smooth": {"enabled": True, "type": "continuous", "roundness": 0.2},
        },
        "physics": False,
        "interaction": {
            "hover": True,
            "tooltipDelay": 150,
            "navigationButtons": False,
            "zoomView": True,
            "keyboard": {"enabled": True, "bindToWindow": False},
        },
    }


@lru_cache(maxsize=1)
def _vis() -> tuple[Markup, Markup]:
    """The copy of vis-network that pyvis ships of vis-network: the only markup that is taken as it is."""
    folder = files("pyvis") / "templates" / "lib" / "vis-9.1.2"
    script = (folder / "vis-network.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    return Markup(script), Markup((folder / "vis-network.css").read_text(encoding="utf-8"))  # noqa: S704
