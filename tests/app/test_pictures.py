"""Networks and matrices as pictures: nothing is loaded, nothing in a name is code, everything has a place."""

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hmpb_core.domain import Categorical, Domain
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.rules.declared import Rules
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from pages.networks.facts import KINDS, Arrow, Graph, Node, conditional_frame, dependence, graph_of, in_order
from pages.networks.graph import page_of
from pages.networks.layout import LETTER, places_of
from pages.networks.svg import svg_of
from pages.shared.figures import axis_labels, bars, room
from pages.shared.figures_utility import difference_heatmap
from pages.shared.palette import DARK, LIGHT
from pages.shared.parted_bar import parted_bar
from pages.similarity.figures import heatmap
from pages.weights.figures import dumbbells
from pages.weights.shares import agreement, weigh
from pages.words.assets import TEMPLATES, template

HOSTILE = "</script><script>alert(1)</script> & \"quotes\" '<b>'"
WORDS = {name: name for name in (*KINDS, "cluster", "risk", "parents", "cells", "noise", "strength", "png")}


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
    return page_of(graph, look, title=HOSTILE, language="zh", words=WORDS, height=400)


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


def test_in_a_tall_frame_the_picture_is_tall_and_the_same_nodes_are_as_far_apart():
    nodes = tuple(
        dataclasses.replace(hostile_graph().nodes[0], index=i, name=f"income {i}", cluster=i // 5)
        for i in range(15)
    )
    arrows = tuple(Arrow(parent=i - 1, child=i, strength=0.5, kind="inside") for i in range(15) if i % 5)
    graph = Graph(nodes=nodes, arrows=arrows, sample=np.zeros((10, 15), dtype=np.int32))
    sides = {tall: np.ptp(list(places_of(graph, tall=tall).values()), axis=0) for tall in (False, True)}
    assert sides[False][0] > sides[False][1]
    assert sides[True][0] < sides[True][1]
    assert set(places_of(graph, tall=True)) == set(range(15))


@pytest.mark.parametrize("clusters", [1, 3, 12, 60])
@pytest.mark.parametrize("tall", [False, True])
def test_of_sixty_attributes_no_name_lies_on_another_and_all_can_be_read_on_a_screen(clusters, tall):
    rng = np.random.default_rng(3)
    lengths = rng.integers(4, 17, 60)
    nodes = tuple(
        dataclasses.replace(hostile_graph().nodes[0], index=i, name="n" * lengths[i], cluster=i % clusters)
        for i in range(60)
    )
    arrows = tuple(
        Arrow(parent=int(parent), child=i, strength=0.5)
        for i in range(clusters, 60)
        for parent in rng.choice(np.arange(i % clusters, i, clusters), min(3, i // clusters), replace=False)
    )
    places = places_of(
        Graph(nodes=nodes, arrows=arrows, sample=np.zeros((10, 60), dtype=np.int32)), tall=tall
    )
    spots = np.array([places[i] for i in range(60)])
    first, second = np.triu_indices(60, 1)
    apart = np.abs(spots[first] - spots[second])
    names = LETTER * (lengths[first] + lengths[second]) / 2
    assert not ((apart[:, 0] < names) & (apart[:, 1] < 70)).any()
    if not tall:
        wide, high = np.ptp(spots, axis=0) + np.array([LETTER * lengths.max(), 110])
        assert 26 * min(1090 / wide, 660 / high) > 9, "pixels of a letter at a window 1440 wide"


@pytest.mark.parametrize(
    ("sizes", "first"), [([5, 4, 5], None), ([20, 30, 10], None), ([20, 30, 25], 1), ([1] * 70, None)]
)
def test_of_a_wide_table_the_largest_network_is_shown_first(sizes, first):
    shown = in_order(sizes)
    assert shown[0] == first
    assert sorted(sizes, reverse=True) == [sizes[network] for network in shown if network is not None]


def test_the_svg_is_well_formed_and_holds_the_names_as_text(graph):
    root = ET.fromstring(svg_of(graph, title=HOSTILE, words=WORDS))
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts == {HOSTILE, "b", "c", "d"}
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_strength_is_the_distance_from_independence():
    half = np.array([0, 1] * 50, dtype=np.int32)
    assert dependence(half, half, 2, 2) == pytest.approx(0.5)
    assert dependence(half, np.zeros(100, dtype=np.int32), 2, 1) == pytest.approx(0.0)


def test_conditional_tables_sum_to_one_and_name_the_parents(model, graph):
    child = next(node for node in graph.nodes if node.parents)
    frame, total = conditional_frame(
        model, graph, child.index, most_rows=2, given="given {}".format, meanings={}
    )
    assert len(frame) == min(2, total)
    headings = [f"given {model.names[parent]}" for parent in child.parents]
    assert list(frame.columns[: len(headings)]) == headings
    assert np.allclose(frame.drop(columns=headings).sum(axis=1), 1.0)
    labels = model.domain.attributes[child.parents[0]].labels
    assert set(frame[headings[0]]) <= set(labels)


def test_a_missing_value_is_named_in_the_readers_language(monkeypatch):
    from pages.words.values import labels_of

    ward = Categorical(name="ward", categories=("north", "south"), nullable=True)
    assert labels_of(ward) == ward.labels == ("north", "south", "(missing)")
    monkeypatch.setattr("pages.words.catalogue.language", lambda: "zh")
    assert labels_of(ward) == ("north", "south", "（缺失）")
    whole = Categorical(name="ward", categories=("north", "(missing)"))
    assert labels_of(whole) == ("north", "(missing)"), "a category keeps its own name"


def test_codes_stand_beside_what_the_codebook_says_that_they_mean(model, graph):
    child = next(node for node in graph.nodes if node.parents)
    family = (child.index, child.parents[0])
    meanings = {
        model.names[of]: {text: f"meaning of {text}" for text in model.domain.attributes[of].labels}
        | {"never listed": "nothing"}
        for of in family
    }
    told, _ = conditional_frame(
        model, graph, child.index, most_rows=2, given="given {}".format, meanings=meanings
    )
    bare, _ = conditional_frame(model, graph, child.index, most_rows=2, given="given {}".format, meanings={})
    parents = len(child.parents)
    assert [text.replace("\u00a0", " ") for text in told.columns[parents:]] == [
        f"{text} = meaning of {text}" for text in bare.columns[parents:]
    ]
    assert [text.replace("\u00a0", " ") for text in told.iloc[:, 0]] == [
        f"{text} = meaning of {text}" for text in bare.iloc[:, 0]
    ]


def test_hatching_covers_the_noise_and_leaves_the_diagonal():
    noise = np.array([[True, True, False], [True, True, False], [False, False, True]])
    drawn = heatmap(np.zeros((3, 3)), ["a", "b", "<i>"], [0, 0, 1], noise, unit="u", cluster="c")
    assert drawn.layout.shapes[0].path.count("M") == 2
    assert "&lt;i&gt;" in drawn.layout.yaxis.ticktext[2]
    assert drawn.data[0].x == drawn.layout.yaxis.ticktext


def test_what_may_be_noise_is_pale_however_large_and_its_figure_is_still_told():
    values = np.array([[0, 0.9, 0.2], [0.9, 0, 0.1], [0.2, 0.1, 0]])
    noise = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)
    drawn = heatmap(values, ["a", "b", "c"], [], noise, unit="u", cluster="c").data[0]
    assert np.array(drawn.z, float)[~np.eye(3, dtype=bool)].tolist() == [0, 0.2, 0, 0, 0.2, 0]
    assert drawn.zmax == 0.2
    assert drawn.customdata[0][1] == 0.9
    assert "customdata" in drawn.hovertemplate


def test_weights_follow_gamma_and_keep_the_total(model):
    for gamma in (-2.0, 0.0, 1.0):
        weighed = weigh(model, gamma=gamma, manual={})
        assert sum(w.share for w in weighed) == pytest.approx(1.0)
    even = weigh(model, gamma=0.0, manual={})
    assert all(w.shift == pytest.approx(1.0) for w in even)
    manual = weigh(model, gamma=0.0, manual={"b": 3.0})
    heavy = max(manual, key=lambda w: w.share)
    assert heavy.name == "b"
    assert heavy.shift == pytest.approx((4 * 3 / 6) ** -0.5)  # zcdp: the root of the share over an even one


@pytest.fixture(scope="module")
def clustered():
    """Two groups of three that move together, and a weak tie between them."""
    rng = np.random.default_rng(8)
    first = rng.integers(0, 4, 4000)
    second = np.where(rng.random(4000) < 0.3, first, rng.integers(0, 4, 4000))
    columns = [np.where(rng.random(4000) < 0.8, group, 3) for group in (first, second) for _ in range(3)]
    domain = Domain.of_sizes([4] * 6)
    codes = np.column_stack(columns).astype(np.int32)

    def fitted(learner):
        plan = make_plan(Guarantee(epsilon=5.0), domain, n_rows=4000, clusters=2, learner=learner)
        return fit_source(MemorySource(codes, domain), plan, seed=3)

    return fitted


def test_the_page_weights_tells_what_is_asked_for_from_what_was_drawn_and_spent(clustered):
    model = clustered("ibayes")
    own, moved = weigh(model, gamma=1.0, manual={}), weigh(model, gamma=3.0, manual={})
    assert agreement(own) == pytest.approx(1.0)
    assert [w.noise for w in own] == [w.noise for w in moved]  # the slider moves no noise of the past
    assert [w.share for w in own] != [w.share for w in moved]
    for w in own:  # IBayes splits by the rule exactly, so what was drawn is what was asked for
        assert w.noise / w.uniform_noise == pytest.approx(w.shift, rel=1e-6)
    for name, spent in model.bill.attributes.items():
        assert next(w for w in own if w.name == name).spent == spent
    families = [f.attributes for network in model.networks for f in network.families]
    assert sum(w.tables for w in own) == pytest.approx(sum(len(set(f)) for f in families), abs=2)


def test_bridges_are_dashed_named_and_in_a_legend(clustered):
    graph = graph_of(clustered("adaptive"))
    assert "bridge" in graph.kinds
    home = {node.index: node.cluster for node in graph.nodes}
    assert all((home[a.parent] != home[a.child]) == (a.kind != "inside") for a in graph.arrows)
    drawn = page_of(graph, LIGHT, title="t", language="zh", words=WORDS, height=400)
    assert '"dashes": [12, 6]' in drawn
    assert 'id="legend"' in drawn
    assert '<html lang="zh">' in drawn
    picture = svg_of(graph, title="t", words=WORDS)
    assert picture.count('stroke-dasharray="12 6"') == len(graph.bridges) + 1  # one stands in the legend
    assert ">bridge</text>" in picture


def test_what_a_public_rule_ties_is_drawn_as_a_rule_and_is_no_bridge_that_was_paid_for():
    rng = np.random.default_rng(3)
    names = [f"i{k}" for k in range(30)]
    domain = Domain(
        (
            Categorical(name="industry", categories=tuple(names)),
            Categorical(name="sector", categories=("x", "y", "z")),
            *(Categorical(name=name, categories=(0, 1, 2)) for name in ("pay", "hours")),
        )
    )
    said = {"kind": "follows", "column": "sector", "from": "industry"}
    rules = Rules.read([said | {"values": {name: "xyz"[k % 3] for k, name in enumerate(names)}}], domain)
    industry = rng.integers(0, 30, 4000)
    pay = np.where(rng.random(4000) < 0.8, industry % 3, rng.integers(0, 3, 4000))
    hours = np.where(rng.random(4000) < 0.8, pay, rng.integers(0, 3, 4000))
    codes = np.column_stack([industry, industry % 3, pay, hours]).astype(np.int32)
    plan = make_plan(Guarantee(epsilon=5.0), domain, n_rows=4000, clusters=2)
    model = fit_source(MemorySource(codes, domain, rules=rules), plan, seed=1)
    drawn = graph_of(model)
    assert [{a.parent, a.child} for a in drawn.arrows if a.kind == "rule"] == [{0, 1}]
    assert not any({0, 1} == set(bridge) for bridge in model.bridges)
    assert ">rule</text>" in svg_of(drawn, title="t", words=WORDS)


def test_no_two_of_49_clusters_have_both_shape_and_colour_alike():
    node = hostile_graph().nodes[0]
    nodes = tuple(
        dataclasses.replace(node, index=i, name=f"n{i}", cluster=i, parents=(), risk=0.5) for i in range(49)
    )
    many = Graph(nodes=nodes, arrows=(), sample=np.zeros((10, 49), dtype=np.int32))
    drawn = page(many)
    looks = re.findall(r'"background": "(#\w+)", "border".*?"shape": "(\w+)"', drawn)
    assert len(looks) == len(set(looks)) == 49
    assert len({colour for colour, _ in looks}) == len({shape for _, shape in looks}) == 7
    picture = ET.fromstring(svg_of(many, title="t", words=WORDS))
    marks = [e for e in picture.iter() if e.get("fill") in LIGHT.categories]
    assert len(marks) == 49
    kinds = {(mark.get("fill"), form_of(mark)) for mark in marks}
    assert len(kinds) == 49


def form_of(mark):
    """A mark's corners as steps from its first one: alike for the same shape of the same size."""
    points = np.array([tuple(map(float, p.split(","))) for p in (mark.get("points") or "").split()])
    return tuple((points - points[0]).round().ravel()) if len(points) else mark.tag


def test_one_network_needs_no_legend(graph):
    assert 'id="legend"' not in page_of(graph, LIGHT, title="t", language="zh", words=WORDS, height=400)


NAMES = ("<script>alert(1)</script>", "\"q\" 'x'", "</title></script><em evil>", "\u202eevil", "\x01x")


def test_every_template_of_the_app_keeps_foreign_words_as_text():
    drawn = {
        "parted_bar.html.j2": parted_bar(NAMES, (1.0, 2.0, 0.0, 1.0, 1.0), LIGHT),
        "network.svg.j2": svg_of(
            hostile_graph(), title=" ".join(NAMES), words=dict.fromkeys(WORDS, NAMES[0])
        ),
        "network.html.j2": page_of(
            hostile_graph(),
            LIGHT,
            title=" ".join(NAMES),
            language="en",
            words=dict.fromkeys(WORDS, NAMES[0]),
            height=400,
        ),
        "head.html.j2": template("head.html.j2").render(charts=NAMES, soon=1, uploads={"zh": NAMES[0]}),
        "focus.html.j2": template("focus.html.j2").render(keys=[NAMES[0]]),
        "scroll.html.j2": template("scroll.html.j2").render(place=NAMES[0]),
        "sight.html.j2": template("sight.html.j2").render(key=NAMES[0]),
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


def test_chinese_names_do_not_run_into_each_other():
    """Each sign is as wide as two Latin letters."""
    names = ("受教育程度和培训情况", "过去一年的家庭总收入", "过去一年的家庭总支出")
    nodes = tuple(
        dataclasses.replace(node, name=name, parents=())
        for node, name in zip(hostile_graph().nodes, names, strict=False)
    )
    places = places_of(Graph(nodes=nodes, arrows=(), sample=np.zeros((10, 3), dtype=np.int32)))
    for (x, y), (other_x, other_y) in itertools.combinations(places.values(), 2):
        assert abs(x - other_x) >= 20 * LETTER or abs(y - other_y) > 70


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
    arrows = tuple(
        Arrow(parent=i - 1, child=i, strength=0.5, kind=KINDS[i % 3]) for i in range(1, len(NAMES))
    )
    return Graph(nodes=nodes, arrows=arrows, sample=np.zeros((10, len(NAMES)), dtype=np.int32))


QUESTIONS = [
    f"Please rate how much you like the traditional cuisine of {land}" for land in ("Chile", "China")
]
ALIKE = [f"{'a' * 40}{i}{'b' * 40}" for i in range(3)]
"""Names that are cut to the same letters."""


@pytest.mark.parametrize("names", [QUESTIONS, ALIKE, ["age", "age"]], ids=["questions", "alike", "same"])
def test_no_two_names_share_a_place_in_a_figure(names):
    n = len(names)
    drawn = bars(names, {"loss": [1.0] * n}, unit="epsilon")
    assert len(set(drawn.data[0].y)) == n
    assert len(set(difference_heatmap(names, np.zeros((n, n)), scale_title="").data[0].x)) == n
    matrix = heatmap(np.zeros((n, n)), names, [0] * n, np.zeros((n, n), bool), unit="u", cluster="c")
    assert len(set(matrix.data[0].x)) == n
    assert len(set(matrix.layout.yaxis.ticktext)) == n


def test_every_attribute_has_its_name_at_the_differences():
    drawn = difference_heatmap(["a", "b", "c"], np.zeros((3, 3)), scale_title="")
    assert drawn.layout.xaxis.dtick == drawn.layout.yaxis.dtick == 1
    assert drawn.layout.xaxis.tickangle == -90, "as many as fit side by side in a narrow window"


def test_the_parts_of_a_bar_are_told_as_exactly_as_their_sum():
    """The ledger says 1.009 above the bar; 1.01 in its legend would be another number."""
    assert "<strong>1.009</strong>" in parted_bar(("spent", "left"), (1.009, 1.991), LIGHT)


def test_the_parts_of_a_bar_add_up_to_their_sum():
    parts = re.findall(
        r"<strong>([\d.]+)</strong>",
        parted_bar(("a", "b", "c", "d"), (0.378, 0.036, 0.03888, 0.44712), LIGHT),
    )
    assert round(sum(map(float, parts)), 9) == 0.9


def test_a_span_of_two_moments_is_read_whole_beside_its_bar():
    spans = ["[01/01/2014 12:00:00 AM, 06/21/2014 01:30:00 AM)", "short"]
    drawn = bars(spans, {"real": [0.5, 0.5], "synthetic": [0.4, 0.6]}, unit="share")
    assert [label.replace("<br>", " ") for label in drawn.data[0].y] == spans


def test_questions_that_begin_alike_can_be_told_by_their_ends():
    assert [label.split("…")[1] for label in axis_labels(QUESTIONS, 24)] == ["e of Chile", "e of China"]


def test_names_of_a_chinese_survey_leave_a_narrow_window_room_for_the_figure():
    names = [f"{place}、我会用人工智能检查自己的消息是否冒犯了别人或者令人不快" for place in range(1, 40)]
    drawn = dumbbells(names, [1.0] * 39, names=("uniform", "risk"), unit="share")
    assert room(axis_labels(names, 24), 11) < 358 / 2, "half of what a phone has"
    assert drawn.layout.margin.l < 358 * 2 / 3
    latin = ["x" * 24, "y" * 30]
    assert axis_labels(latin, 24) == ["x" * 24, f"{'y' * 13}…{'y' * 10}"]


def test_names_in_capitals_have_the_room_that_they_take():
    """Arial's capitals are about 0.7 of the letters' size wide; HOUSING_TYPE lost its first one."""
    assert room(["HOUSING_TYPE"], 12) >= 14 + 11 * 0.7 * 12
    assert room(["housing_type"], 12) < room(["HOUSING_TYPE"], 12)


def test_upright_names_that_would_lie_on_each_other_in_a_narrow_window_are_left_to_plotly():
    names = [f"n{i}" for i in range(24)]
    drawn = difference_heatmap(names, np.zeros((24, 24)), scale_title="").layout
    assert (drawn.xaxis.dtick, drawn.yaxis.dtick) == (None, 1)
