"""The interactive network: pyvis' model of it, and a page of our own that loads nothing from anywhere.

pyvis' own pages call public servers in every mode; only its node and edge lists and the copy of
vis-network that it ships are used. Names come from an upload: they enter the page as JSON in which
no character can end the script, and vis draws them on a canvas as plain text.
"""

from __future__ import annotations

import html
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pages.networks.facts import Graph
from pages.networks.layout import places_of
from pages.shared.palette import Palette

SHAPES = ("dot", "square", "diamond", "triangle", "hexagon", "star", "triangleDown")
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
SMALLEST, GROWTH = 11, 20


def page_of(graph: Graph, look: Palette, *, title: str, words: dict[str, str], height: int) -> str:
    """Give the page of a graph.

    Args:
        graph: What is drawn.
        look: The theme's colours.
        title: Title of the page.
        words: The words ``cluster``, ``risk``, ``parents``, ``cells``, ``noise``, ``strength``, ``png``.
        height: In pixels.
    """
    nodes, edges = _model(graph, look, words)
    script, style = _vis()
    return _SHELL.format(
        policy=POLICY,
        title=html.escape(title),
        style=style,
        script=script,
        height=height - 8,
        back=look.back,
        text=look.text,
        line=look.line,
        png=html.escape(words["png"]),
        nodes=_json(nodes),
        edges=_json(edges),
        options=_json(_options(look)),
    )


def _model(
    graph: Graph, look: Palette, words: dict[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    from pyvis.network import Network

    net = Network(directed=True)
    places = places_of(graph)
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
            label=_short(node.name),
            title="\n".join(lines),
            shape=SHAPES[node.cluster % len(SHAPES)],
            x=places[node.index][0],
            y=places[node.index][1],
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
            title=f"{names[arrow.parent]} → {names[arrow.child]}: {words['strength']} {arrow.strength:.2f}",
        )
    return net.nodes, net.edges


def _options(look: Palette) -> dict[str, Any]:
    return {
        "nodes": {
            "font": {"color": look.text, "size": 20, "strokeWidth": 5, "strokeColor": look.back},
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


def _short(name: str, longest: int = 22) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@lru_cache(maxsize=1)
def _vis() -> tuple[str, str]:
    folder = files("pyvis") / "templates" / "lib" / "vis-9.1.2"
    script = (folder / "vis-network.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    return script, (folder / "vis-network.css").read_text(encoding="utf-8")


_SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}
html, body {{ margin: 0; background: {back}; color: {text}; font: 14px sans-serif; }}
#graph {{ height: {height}px; border: 1px solid {line}; border-radius: 6px; box-sizing: border-box; }}
#graph:focus-visible {{ outline: 3px solid {text}; outline-offset: -3px; }}
#png {{ position: absolute; right: 10px; top: 10px; padding: 6px 10px; color: {text}; background: {back};
  border: 1px solid {text}; border-radius: 6px; font: inherit; cursor: pointer; }}
div.vis-tooltip {{ white-space: pre; background: {back}; color: {text}; border: 1px solid {line};
  padding: 8px; border-radius: 6px; font: 13px sans-serif; }}
</style></head><body>
<main><h1 style="position:absolute;left:-9999px">{title}</h1>
<div id="graph" tabindex="0" role="application" aria-label="{title}"></div>
<button id="png" type="button">{png}</button></main>
<script>{script}</script>
<script>
const options = {options};
const network = new vis.Network(
  document.getElementById("graph"),
  {{ nodes: new vis.DataSet({nodes}), edges: new vis.DataSet({edges}) }}, options);
network.fit();
network.once("afterDrawing", () => {{
  document.body.dataset.settled = performance.timeOrigin + performance.now();
}});
document.getElementById("png").addEventListener("click", () => {{
  const canvas = document.querySelector("#graph canvas");
  const copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext("2d");
  pen.fillStyle = "{back}"; pen.fillRect(0, 0, copy.width, copy.height); pen.drawImage(canvas, 0, 0);
  const link = document.createElement("a");
  link.download = "network.png"; link.href = copy.toDataURL("image/png"); link.click();
  document.body.dataset.saved = "yes";
}});
</script></body></html>
"""
