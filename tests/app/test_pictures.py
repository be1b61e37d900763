"""Networks and matrices as pictures: nothing is loaded, nothing in a name is code, everything has a place."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hmpb_core.domain import Categorical, Domain
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from pages.networks.facts import Arrow, Graph, Node, conditional_frame, dependence, graph_of
from pages.networks.graph import page_of
from pages.networks.layout import places_of
from pages.networks.svg import svg_of
from pages.shared.palette import DARK, LIGHT
from pages.shared.parted_bar import parted_bar
from pages.similarity.figures import heatmap
from pages.weights.shares import weigh
from pages.words.assets import TEMPLATES, template

HOSTILE = "</script><script>alert(1)</script> & \"quotes\" '<b>'"
WORDS = {name: name for name in ("cluster", "risk", "parents", "cells", "noise", "strength", "png")}


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 3000)
    columns = [first, first % 2, rng.integers(0, 4, 3000), np.maximum(first, rng.integers(0, 3, 3000))]
    names = [HOSTILE, "b", "c", "d"]
    domain = Domain(
        tuple(
            Categorical(name=name, categories=tuple(range(int(column.max()) + 1)))
            for name, column in zip(names, columns, strict=True)
        )
    )
    codes = np.column_stack(columns).astype(np.int32)
    plan = make_plan(Guarantee(epsilon=5.0), domain, n_rows=3000, method="privbayes")
    return fit_source(MemorySource(codes, domain), plan)


@pytest.fixture(scope="module")
def graph(model):
    return graph_of(model)


def page(graph, look=LIGHT):
    return page_of(graph, look, title=HOSTILE, words=WORDS, height=400)


def test_the_page_loads_nothing_from_anywhere(graph):
    text = page(graph)
    body = text[: text.index("<script>")] + text[text.rindex("<script>") :]
    assert "default-src 'none'" in body
    assert re.findall(r"(?:src|href)\s*=\s*[\"']?(?!data:)\w+:", body) == []
    assert "@import" not in text


def test_a_name_cannot_end_the_script(graph):
    text = page(graph)
    assert "<script>alert" not in text
    assert text.count("</script>") == 2
    assert "\\u003c/script\\u003e" in text


def test_the_page_follows_the_theme(graph):
    assert DARK.back in page(graph, DARK)
    assert page(graph) == page(graph), "the same graph always gives the same picture"


def test_every_node_has_a_place_of_its_own(graph):
    places = places_of(graph)
    assert set(places) == {node.index for node in graph.nodes}
    spots = np.array(list(places.values()))
    gaps = np.linalg.norm(spots[:, None] - spots[None], axis=2)[~np.eye(len(spots), dtype=bool)]
    assert gaps.min() > 30


def test_the_svg_is_well_formed_and_holds_the_names_as_text(graph):
    root = ET.fromstring(svg_of(graph, title=HOSTILE))
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts == {HOSTILE, "b", "c", "d"}
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_strength_is_the_distance_from_independence():
    half = np.array([0, 1] * 50, dtype=np.int32)
    assert dependence(half, half, 2, 2) == pytest.approx(0.5)
    assert dependence(half, np.zeros(100, dtype=np.int32), 2, 1) == pytest.approx(0.0)


def test_conditional_tables_sum_to_one_and_name_the_parents(model, graph):
    child = next(node for node in graph.nodes if node.parents)
    frame, total = conditional_frame(model, graph, child.index, most_rows=2, given="Given")
    assert len(frame) == min(2, total)
    assert np.allclose(frame.drop(columns="Given").sum(axis=1), 1.0)
    parent = model.names[child.parents[0]]
    assert all(parent in line for line in frame["Given"])


def test_hatching_covers_the_noise_and_leaves_the_diagonal():
    noise = np.array([[True, True, False], [True, True, False], [False, False, True]])
    drawn = heatmap(np.zeros((3, 3)), ["a", "b", "<i>"], [0, 0, 1], noise, unit="u", cluster="c")
    assert drawn.layout.shapes[0].path.count("M") == 2
    assert "&lt;i&gt;" in drawn.layout.xaxis.ticktext[2]


def test_weights_follow_gamma_and_keep_the_total(model):
    for gamma in (-2.0, 0.0, 1.0):
        weighed = weigh(model, gamma=gamma, manual={})
        assert sum(w.share for w in weighed) == pytest.approx(1.0)
    even = weigh(model, gamma=0.0, manual={})
    assert all(w.error == pytest.approx(w.even_error) for w in even)
    manual = weigh(model, gamma=0.0, manual={"b": 3.0})
    assert max(manual, key=lambda w: w.share).name == "b"
    heavy = next(w for w in manual if w.name == "b")
    assert heavy.error < heavy.even_error


NAMES = ("<script>alert(1)</script>", "\"q\" 'x'", "</title></script><em evil>", "\u202eevil", "\x01x")


def test_every_template_of_the_app_keeps_foreign_words_as_text():
    drawn = {
        "parted_bar.html.j2": parted_bar(NAMES, (1.0, 2.0, 0.0, 1.0, 1.0), LIGHT),
        "network.svg.j2": svg_of(hostile_graph(), title=" ".join(NAMES)),
        "network.html.j2": page_of(
            hostile_graph(), LIGHT, title=" ".join(NAMES), words=dict.fromkeys(WORDS, NAMES[0]), height=400
        ),
        "head.html.j2": template("head.html.j2").render(charts=NAMES, soon=1),
    }
    assert set(drawn) == {path.name for path in TEMPLATES.iterdir()}
    for name, page in drawn.items():
        assert "<script>alert" not in page, name
        assert "<em evil>" not in page, name
        assert "\u202e" not in page, name
        assert "\x01" not in page, name
    ET.fromstring(drawn["network.svg.j2"])
    assert drawn["head.html.j2"].count("<script>") == drawn["head.html.j2"].count("</script>") == 1
    assert drawn["network.html.j2"].count("</script>") == 2


def hostile_graph():
    nodes = tuple(
        Node(
            index=i,
            name=name,
            cluster=i,
            risk=0.5,
            parents=(i - 1,) if i else (),
            cells=2,
            noise_sd=1.0,
        )
        for i, name in enumerate(NAMES)
    )
    arrows = tuple(Arrow(parent=i - 1, child=i, strength=0.5) for i in range(1, len(NAMES)))
    return Graph(nodes=nodes, arrows=arrows, sample=np.zeros((10, len(NAMES)), dtype=np.int32))
