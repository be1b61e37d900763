"""Similarity, Networks, Risk weights and Run: what they show is true of the run they stand beside."""

import dataclasses
import json

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning.methods import Accounting
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.publishing.zones import Zone
from hmpb_core.rules.deciding import Equal
from hmpb_core.rules.declared import Rules
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from pages.data import drafts
from pages.networks.facts import graph_of, measured_whole
from pages.run.rehearsal import rehearsal_work
from pages.session.jobs import Job
from pages.session.state import Basis, Result, Table
from pages.similarity.clusters import may_be_noise
from pages.similarity.figures import eigenvalues
from pages.similarity.matrices import Matrix, direct_noise, tvd_by_chance
from pages.similarity.pairs import verdicts
from pages.weights.shares import weigh
from pages.words.catalogue import number, plain
from tests.app.results import ROWS, edit_codebook, give_result, release_of


def rehearse(session, rows=2000):
    """Run the session's plan on some of the demo's rows; None for all."""
    session.table = dataclasses.replace(
        session.table, content=session.table.frame.head(rows or len(session.table.frame))
    )
    work = rehearsal_work(
        session.plan,
        session.codebook,
        session.table,
        n_rows=session.table.n_rows,
        strength=0.5,
        language="en",
    )
    session.use_result(work(lambda *_: None))


@pytest.mark.parametrize(
    "name", ["similarity", "networks", "weights", "utility", "compare", "experiments", "run", "plan", "data"]
)
def test_nothing_stands_above_a_pages_title(app, name):
    """Streamlit's magic writes a string that explains a constant at the page's head."""
    give_result(app)
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert app.main.children[0] is app.title[0]


def test_the_pages_say_for_which_column_a_run_was_made(app):
    session = app.session_state["hmpb"]
    for target in ("insurer", None):
        session.settings.favoured = target or ""
        rehearse(session)
        app.switch_page("pages/similarity/page.py").run()
        assert not app.exception
        said = " ".join(caption.value for caption in app.caption)
        assert "what found the networks" in said
        assert "Made by HMPrivBayes at epsilon 1," in said, "the sidebar tells the plan's of now"
        assert ("clusters: 3. Column that matters most: insurer." in said) is (target is not None)


@pytest.mark.parametrize("name", ["similarity", "networks", "weights", "utility", "run"])
def test_a_paid_result_outlives_a_change_of_the_codebook_and_says_so(app, name):
    session = release_of(app)
    edit_codebook(session)
    assert len(session.codebook.domain) == len(session.result.codebook.domain) - 1
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert session.result is not None
    assert any("The codebook has changed" in c.value for c in app.caption)
    assert not any("The plan has changed" in c.value for c in app.caption)


def test_what_is_taken_from_a_paid_result_fits_the_codebook_of_now(app):
    """A weight of a column that had gone made every check of a release fail, as did too many clusters."""
    session = give_result(app, Basis.PRIVATE, method="hmprivbayes")
    session.result = dataclasses.replace(session.result, release="r1")
    first, most = session.codebook.domain.names[0], len(session.codebook.domain)
    edit_codebook(session)
    app.switch_page("pages/similarity/page.py").run()
    app.number_input(key=f"s_k_{session.results}").set_value(most).run()
    app.button(key="take_clusters").click().run()
    assert not app.exception
    assert session.settings.clusters == most - 1
    assert [toast.value for toast in app.toast] == [plain("similarity.taken", k=most - 1)]
    session.take_into_plan(weights={"insurer": 2.0, first: 2.0})
    assert session.settings.weights == {first: 2.0}


def test_what_is_called_real_beside_a_rehearsal_is_said_to_be_simulated(app):
    pytest.importorskip("minepy")
    for basis, said in ((Basis.STAND_IN, True), (Basis.DEMO, False)):
        give_result(app, basis, method="hmprivbayes")
        app.session_state["fold_mic_values"] = True
        app.switch_page("pages/similarity/page.py").run()
        assert "mic_values_go" in [button.key for button in app.button]
        assert (plain("utility.stand_in") in [line.value for line in app.caption]) == said


def test_measuring_mic_is_offered_only_where_a_value_can_stand_out_of_its_noise(app):
    session = give_result(app, method="hmprivbayes")
    model = session.result.model
    many = dataclasses.replace(model, n_rows=100_000)
    assert direct_noise(model.plan, many) < 0.5
    assert direct_noise(model.plan, model) is None, "of 600 rows the band holds all from 0 to 1"


def test_a_rehearsal_goes_with_the_codebook_it_was_made_with(app):
    session = give_result(app)
    edit_codebook(session)
    assert session.result is None


def test_a_release_under_way_is_stopped_neither_by_an_edit_nor_by_another_table(app):
    session = app.session_state["hmpb"]
    session.job = job = Job("run", lambda _: None, charges=True)
    edit_codebook(session)
    assert session.job is job
    session.forget()
    assert session.job is job, "it can be watched and stopped"
    assert not job.stopping
    assert not job.kept, "its rows and its table are not"
    session.job = free = Job("run", lambda _: None)
    session.clear_result()
    assert free.stopping


@pytest.mark.parametrize("name", ["similarity", "networks", "weights", "run"])
def test_a_run_on_one_column_can_be_looked_at(app, name):
    give_result(app, columns=["ward"])
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert not app.error
    assert name != "similarity" or any("one attribute alone" in note.value for note in app.info)


def test_networks_say_which_columns_a_rule_decides_and_not_they(app):
    session = give_result(app)
    names = session.result.model.domain.names
    rules = Rules(items=(Equal(column=names[1], source=names[0]),))
    model = dataclasses.replace(session.result.model, rules=rules)
    session.result = dataclasses.replace(session.result, model=model)
    app.switch_page("pages/networks/page.py").run()
    assert any(f"{names[1]} by {names[0]}" in line.value for line in app.caption)


@pytest.mark.parametrize(("basis", "zone"), [(Basis.STAND_IN, Zone.DECLARED), (Basis.PRIVATE, Zone.DP)])
@pytest.mark.parametrize("name", ["similarity", "networks", "weights"])
def test_only_what_a_release_gave_is_called_differentially_private(app, name, basis, zone):
    give_result(app, basis)
    app.switch_page(f"pages/{name}/page.py").run()
    badges = [m.value for m in app.main.markdown if "-badge[" in m.value]
    assert any(plain(f"common.zone.{zone.name.lower()}") in badge for badge in badges)
    other = Zone.DP if zone is Zone.DECLARED else Zone.DECLARED
    assert not any(plain(f"common.zone.{other.name.lower()}") in badge for badge in badges)


@pytest.mark.parametrize("name", ["data", "plan", "compare"])
def test_while_the_codebook_holds_a_guess_what_is_made_of_it_is_not_called_declared(app, name):
    def badges(zone):
        app.switch_page(f"pages/{name}/page.py").run()
        word = plain(f"common.zone.{zone.name.lower()}")
        return sum("-badge[" in m.value and word in m.value for m in app.main.markdown)

    before = badges(Zone.DECLARED), badges(Zone.STEWARD_ONLY)
    guess = {"source": Provenance(origin=Origin.GUESS).to_dict(), "declared": False}
    drafts.change(app.session_state["hmpb"], "ward", lambda field: field | guess)
    assert (badges(Zone.DECLARED), badges(Zone.STEWARD_ONLY)) == (before[0] - 1, before[1] + 1)


def matrix_of(kind, value, band):
    values, bands = np.full((2, 2), value), np.full((2, 2), band)
    return Matrix(kind=kind, measure="mic", names=("ward", "ill"), values=values, bands=bands)


def test_two_measures_of_a_pair_do_not_contradict_each_other_and_a_rule_is_named():
    rules = (Equal(column="ill", source="ward"), Equal(column="ill", source="age"))
    blind, seeing = matrix_of("model", 0.1, 0.2), matrix_of("paid", 0.3, 0.2)
    alone = verdicts([blind], "ward", "ill", ())
    assert "they may be unrelated" in alone[0]
    first, second, tie = verdicts([blind, seeing], "ward", "ill", rules)
    assert "unrelated" not in first
    assert "the other one does" in first
    assert "most likely it is so among the rows" in second
    assert "A public rule ties them" in tie


def test_of_a_measured_distance_it_is_said_what_chance_alone_would_show():
    shares = np.array([0.5, 0.3, 0.2]), np.array([0.7, 0.2, 0.1])
    rng, n = np.random.default_rng(1), 400
    cells = [rng.choice(3, p=share, size=(300, n)) for share in shares]
    both = 3 * cells[0] + cells[1]
    tables = np.stack([np.bincount(codes, minlength=9).reshape(3, 3) / n for codes in both])
    margins = tables.sum(2)[:, :, None] * tables.sum(1)[:, None, :]
    brute = (np.abs(tables - margins).sum((1, 2)) / 2).mean()
    assert tvd_by_chance(*shares, n) == pytest.approx(brute, rel=0.06)
    measured = dataclasses.replace(matrix_of("paid", 0.3, 0.2), measure="tvd", one_way=shares, n_rows=n)
    (said,) = verdicts([measured], "ward", "ill", ())
    assert said.endswith("two unrelated attributes would show about 0.031 there, by chance.")


def test_of_a_pair_without_a_grid_the_page_does_not_say_that_it_may_be_unrelated():
    blind = dataclasses.replace(matrix_of("model", 0.0, 1.0), untold=np.ones((2, 2), dtype=bool))
    first, second = verdicts([blind, matrix_of("paid", 0.3, 0.2)], "ward", "ill", ())
    assert "it tells nothing" in first
    assert "most likely it is so among the rows" in second


@pytest.mark.parametrize(
    ("suggested", "chosen", "dashes"),
    [(2, 4, ["dash", "solid"]), (4, 2, ["solid", "dash"]), (3, 3, ["solid"])],
)
def test_the_line_of_the_clusters_in_use_is_the_solid_one(suggested, chosen, dashes):
    words = dict.fromkeys(("x", "y", "suggested", "chosen", "both"), "")
    figure = eigenvalues(np.linspace(0, 1, 8), suggested=suggested, chosen=chosen, words=words)
    assert [shape["line"]["dash"] for shape in figure["layout"]["shapes"]] == dashes


@pytest.mark.parametrize("most", [30, 3])
def test_every_attribute_is_a_member_of_one_cluster_and_many_are_folded_away(app, monkeypatch, most):
    """In a table's column the names of 175 attributes were 9,000 pixels high on a phone."""
    monkeypatch.setattr("pages.similarity.clusters.MOST_OPEN", most)
    session = give_result(app, method="hmprivbayes")
    app.switch_page("pages/similarity/page.py").run()
    boxes = [box for box in app.expander if box.label.startswith("Cluster ")]
    names = session.result.codebook.domain.names
    members = [box.markdown[0].value.replace("\\", "").split(", ") for box in boxes]
    assert sorted(name for some in members for name in some) == sorted(names)
    assert {box.proto.expanded for box in boxes} == {most >= len(names)}


def test_a_run_tells_the_time_of_the_stages_that_its_method_has(app):
    session = give_result(app, method="independent")
    model = session.result.model
    assert Stage.SIMILARITY in model.seconds, "a clock that stood still"
    still = dataclasses.replace(model, seconds=dict.fromkeys(model.seconds, 0.0))  # a busy machine's does not
    session.result = dataclasses.replace(session.result, model=still)
    app.switch_page("pages/run/page.py").run()
    told = next(table.value for table in app.table if "Seconds" in table.value.columns)
    assert told["Stage"].tolist() == ["Measuring the one-way tables"]


def test_columns_that_are_drawn_each_by_itself_are_no_clusters_that_bridges_could_join(app):
    give_result(app, method="independent")
    app.switch_page("pages/networks/page.py").run()
    assert not app.exception
    assert not any("bridge" in m.value for m in app.markdown)
    assert not any("bridges" in c.value or "tell the clusters" in c.value for c in app.caption)


@pytest.mark.parametrize(("learner", "said"), [("ibayes", "makes none"), ("adaptive", "worth its price")])
def test_where_no_bridge_is_the_page_says_whether_the_learner_looked_for_one(app, learner, said):
    fields = [{"name": name, "categories": ["no", "yes"]} for name in "abcdef"]
    book = Codebook.from_dict({"fields": fields})
    codes = np.random.default_rng(2).integers(0, 2, (500, 6)).astype(np.int32)
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=500, clusters=2, learner=learner)
    model = fit_source(MemorySource(codes, book.domain), plan, seed=1)
    model = dataclasses.replace(model, bridges=())
    rows = model.sample(500, rng=np.random.default_rng(1))
    table = Table(content=rows, name="", basis=Basis.STAND_IN)
    app.session_state["hmpb"].use_result(Result(model=model, rows=rows, codebook=book, source=table))
    app.switch_page("pages/networks/page.py").run()
    assert any("No bridge joins" in m.value and said in m.value for m in app.markdown)


def test_where_noise_alone_may_have_made_the_matrix_it_is_said_that_the_jump_may_be_noise(app):
    session = give_result(app, method="hmprivbayes")
    result, told = session.result, plain("similarity.gap.noise")
    noise = np.triu(np.random.default_rng(1).normal(0, 0.5, result.model.similarity.values.shape), 1)
    alone = dataclasses.replace(result.model.similarity, values=noise + noise.T, noise_sd=0.5)
    for similarity, said in ((alone, True), (dataclasses.replace(alone, noise_sd=0.05), False)):
        assert may_be_noise(similarity) == said
        model = dataclasses.replace(result.model, similarity=similarity)
        session.use_result(dataclasses.replace(result, model=model))
        app.switch_page("pages/similarity/page.py").run()
        assert not app.exception
        assert (told in [info.value for info in app.info]) == said
    assert not may_be_noise(dataclasses.replace(alone, noise_sd=0.0)), "a run without noise has no such doubt"


def test_a_run_as_published_shows_the_noise_that_its_weights_moved_and_its_whole_cost(app):
    session = app.session_state["hmpb"]
    book = Codebook.from_dict(
        {"fields": [field for field in session.draft["fields"] if field["name"] in ("sex", "ward", "smoker")]}
    )
    frame = session.table.frame.head(ROWS)
    guarantee = Guarantee(epsilon=1.0, delta=0.0, currency=Currency.PURE)
    plan = make_plan(
        guarantee, book.domain, n_rows=ROWS, clusters=2, accounting=Accounting.AS_PUBLISHED, gamma=1.0
    )
    model = fit_source(MemorySource(encode(frame, book), book.domain), plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=session.table))
    app.switch_page("pages/weights/page.py").run()
    assert not app.exception
    assert not any("there is no shift to show" in line.value for line in app.info)
    assert model.bill.total > 2, "the limit is 1"
    assert any(f"a whole row costs epsilon {model.bill.total:.4g}" in line.value for line in app.markdown)
    app.switch_page("pages/run/page.py").run()
    assert any("no finite cost covers them" in line.value for line in app.warning), "as on Plan"


def test_the_noise_that_was_drawn_is_held_against_the_runs_own_gamma_wherever_the_slider_is(app):
    session = app.session_state["hmpb"]
    book = session.codebook
    plan = make_plan(Guarantee(epsilon=5.0), book.domain, n_rows=ROWS, clusters=1, learner="ibayes")
    model = fit_source(MemorySource(encode(session.table.frame.head(ROWS), book), book.domain), plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=session.table))
    app.switch_page("pages/weights/page.py").run()

    def said(words):
        return [m.value for m in app.markdown if words in m.value]

    own = said("rank correlation")
    assert own
    app.slider(key=f"gamma_{session.results}").set_value(-4.0).run()
    assert said("rank correlation") == own
    assert said("Largest share")
    app.slider(key=f"gamma_{session.results}").set_value(0.0).run()
    assert not said("Largest share")
    assert said("attributes get about the same share")


def test_of_more_attributes_than_are_drawn_both_ends_are_and_every_figure_says_so(app, monkeypatch):
    rehearse(app.session_state["hmpb"])
    app.switch_page("pages/weights/page.py").run()
    assert not any("half from each end" in c.value for c in app.caption)
    monkeypatch.setattr("pages.weights.figures.MOST_LINES", 4)
    app.run()
    assert not app.exception
    assert sum("4 of" in c.value and "half from each end" in c.value for c in app.caption) == 3
    summary = next(m.value for m in app.markdown if "Largest share" in m.value)
    drawn = app.get("plotly_chart")[0].proto.spec
    assert json.loads(drawn)["layout"]["xaxis"]["ticktext"][1] == "100 %", "the caption speaks of 100 %"
    for name in summary.replace("\\", "").split("**")[1::2]:
        assert f'"{name}"' in drawn, "what the sentence names stands in the figure"


@pytest.mark.parametrize("method", ["privbayes", "jtree", "naive-bayes", "independent"])
def test_of_a_method_that_weighs_nothing_no_shift_and_no_gamma_are_shown(app, method):
    session = give_result(app, method=method)
    app.switch_page("pages/weights/page.py").run()
    assert not app.exception
    assert any("This method weighs no table by risk" in i.value for i in app.info)
    assert not app.slider
    assert not [button for button in app.button if button.key == "take_gamma"]
    assert not any("Largest share" in m.value for m in app.markdown)
    assert next(s.value for s in app.header) == "What was spent on each attribute"
    app.switch_page("pages/similarity/page.py").run()
    assert not [button for button in app.button if button.key == "take_mic"], "no plan of it could run"
    assert session.settings.similarity == "auto"
    drawn = [chart for chart in app.get("plotly_chart") if "heatmap" in chart.proto.spec]
    assert len(drawn) == (method != "independent"), "nothing relates columns that are drawn by themselves"
    captions = [c.value for c in app.caption if "each row and column is an attribute" in c.value]
    assert not any("frames mark these" in caption for caption in captions), "none of them makes clusters"
    assert not any('"rect"' in chart.proto.spec for chart in drawn)


def test_where_a_method_makes_no_clusters_nothing_asks_for_their_number(app):
    session = give_result(app, method="jtree")
    app.switch_page("pages/similarity/page.py").run()
    assert not app.exception
    assert session.result.model.similarity is not None
    assert any("makes no clusters" in info.value for info in app.info)
    assert not app.slider
    assert not app.number_input
    assert not [button for button in app.button if button.key == "take_clusters"]
    assert not any("inside their clusters" in m.value for m in app.markdown)
    assert "How many clusters?" not in [s.value for s in app.header]
    assert any("as measured in the run" in m.value for m in app.markdown), "the matrix is there"


def test_where_a_plan_pays_nothing_for_similarity_the_page_does_not_blame_the_method(app):
    session = app.session_state["hmpb"]
    session.settings.shares = Shares.from_weights(
        one_way_tables=4, similarity=0, structure=1, conditional_tables=5
    )
    rehearse(session)
    app.switch_page("pages/similarity/page.py").run()
    assert [i.value for i in app.info if "no share of the budget" in i.value]
    assert not [i.value for i in app.info if "This method measures no similarity" in i.value]


def test_of_a_run_without_noise_no_page_speaks_of_noise_or_of_a_limit(app):
    session = app.session_state["hmpb"]
    session.settings.choose("method", "noprivacy")
    rehearse(session, rows=200)
    for name in ("run", "similarity", "networks"):
        app.switch_page(f"pages/{name}/page.py").run()
        assert not app.exception
        said = " ".join(block.value for block in (*app.markdown, *app.caption, *app.sidebar.caption))
        assert "Privacy loss limit: epsilon" not in said
        assert "every stage paid in full" not in said
        assert "that noise alone would show" not in said
        assert "noise interval" not in said
        assert "noise band" not in said
        assert "noisy tables" not in said
    noise = next(metric.value for metric in app.metric if "Noise" in metric.label)
    assert noise == "0"


def test_a_class_model_that_nobody_paid_for_is_not_called_risk_weights_or_a_fit_to_noisy_tables(app):
    session = app.session_state["hmpb"]
    for name, value in (("method", "naive-bayes"), ("accounting", Accounting.AS_PUBLISHED)):
        session.settings.choose(name, value)
    rehearse(session)
    app.switch_page("pages/networks/page.py").run()
    assert any("read from the rows without noise" in caption.value for caption in app.caption)
    app.switch_page("pages/explain/page.py").run()
    assert not app.exception
    (warning,) = [w.value for w in app.warning if "published accounting" in w.value]
    assert "class model" in warning
    assert "risk weights" not in warning


def test_a_margin_of_a_larger_table_that_was_measured_is_not_said_to_be_fitted_to_smaller_ones(app):
    session = app.session_state["hmpb"]
    for name, value in (("method", "privbayes"), ("accounting", Accounting.AS_PUBLISHED)):
        session.settings.choose(name, value)
    rehearse(session)
    model = session.result.model
    measured = [{a for a, _ in act.attribute_loss} for act in model.entries if act.act == "measure"]
    nodes = graph_of(model).nodes
    whole = [any({n.index, *n.parents} <= table for table in measured) for n in nodes]
    assert any(not any({n.index, *n.parents} == table for table in measured) for n in nodes)
    assert [measured_whole(model, n) for n in nodes] == whole == [True] * len(nodes)


def test_similarities_of_all_columns_are_no_table_in_which_a_family_was_measured(app):
    session = app.session_state["hmpb"]
    rehearse(session, rows=None)
    model = session.result.model
    tables = [
        {a for a, _ in act.attribute_loss}
        for act in model.entries
        if act.act == "measure" and act.stage is not Stage.SIMILARITY
    ]
    wide = next(n for n in graph_of(model).nodes if len(n.parents) + 1 > max(map(len, tables)))
    assert not measured_whole(model, wide)
    app.switch_page("pages/networks/page.py").run()
    app.selectbox(key=f"node_{session.results}").set_value(wide.name).run()
    assert any("not measured as a whole" in caption.value for caption in app.caption)
    assert not any("most of this table is noise" in warning.value for warning in app.warning)


def test_weights_are_set_by_hand_for_columns_also_where_the_method_cuts_them_into_bits(app, unfold):
    session = app.session_state["hmpb"]
    book = session.codebook
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=ROWS, encoding="bits")
    model = fit_source(MemorySource(encode(session.table.frame.head(ROWS), book), book.domain), plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=session.table))
    app.switch_page("pages/weights/page.py").run()
    by_hand = next(table for table in unfold(app).dataframe if table.proto.editing_mode)
    assert list(by_hand.value.iloc[:, 0]) == list(book.domain.names), "a plan takes weights of columns alone"
    name = book.domain.names[1]
    ruled = [w.weight for w in weigh(model, gamma=1.0, manual={})]
    assert any(f"{number(min(ruled))} to {number(max(ruled))}" in m.value for m in app.markdown)
    weighed = weigh(model, gamma=1.0, manual={name: 7.0})
    assert {w.name for w in weighed if w.weight == 7.0} == {
        n for n in model.names if n.startswith(f"{name}:")
    }


def test_all_networks_are_shown_first_and_the_box_says_so_in_the_language_of_now(app):
    session = give_result(app, method="hmprivbayes")
    app.switch_page("pages/networks/page.py").run()
    box = app.selectbox(key=f"cluster_{session.results}")
    assert box.options[box.index] == plain("networks.all")
    box.set_value(0).run()
    app.selectbox(key="language").set_value("zh").run()
    box = app.selectbox(key=f"cluster_{session.results}")
    assert box.value == 0
    assert box.proto.set_value


def test_what_is_taken_into_the_plan_is_said(app):
    session = give_result(app, method="hmprivbayes")
    app.switch_page("pages/weights/page.py").run()
    app.slider(key=f"gamma_{session.results}").set_value(2.0).run()
    app.button(key="take_gamma").click().run()
    assert session.settings.gamma == 2.0
    assert [toast.value for toast in app.toast] == [
        "The plan has gamma 2 now. It counts from the next run on."
    ]


def test_a_page_that_is_opened_in_the_middle_of_a_release_says_so(app):
    session = app.session_state["hmpb"]
    session.job = Job("run", print, charges=True)
    app.switch_page("pages/run/page.py").run()
    assert any("The release is being made" in m.value for m in app.markdown)
    assert not [button for button in app.button if button.key == "rehearse"], "it opens on the release"
    session.job = Job("run", print)
    app.session_state["run_tab"] = "Rehearse: free"
    app.run()
    assert not any("The release is being made" in m.value for m in app.markdown)


def test_a_release_under_way_is_shown_while_another_table_is_described_and_when_it_is_made(app):
    session = app.session_state["hmpb"]
    session.job = job = Job("run", lambda _: "rows", charges=True)
    session.forget()
    app.switch_page("pages/run/page.py").run()
    assert any("the table that was loaded before is being made" in m.value for m in app.markdown)
    assert app.button(key="job_cancel")
    job.run()
    assert job.result is None
    app.run()
    assert not app.exception
    assert any("the table that was loaded before is made" in m.value for m in app.markdown)
    assert not [button for button in app.button if button.key == "job_cancel"]


def test_whoever_comes_back_to_run_finds_the_release_where_it_was_left(app):
    app.switch_page("pages/run/page.py").run()
    app.session_state["run_tab"] = "Release: spends the budget"
    app.run()
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/run/page.py").run()
    assert not [button for button in app.button if button.key == "rehearse"]
    app.session_state["run_tab"] = "Rehearse: free"
    app.run()
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/run/page.py").run()
    assert [button for button in app.button if button.key == "rehearse"]


def test_similarity_shows_no_matrix_of_naive_bayes_as_published(app):
    """It pays for no table of two attributes: every pair was at 0 % and within a band of 1."""
    session = app.session_state["hmpb"]
    session.settings.choose("method", "naive-bayes")
    session.settings.choose("accounting", Accounting.AS_PUBLISHED)
    session.settings.choose("rows", 200)
    rehearse(session)
    app.switch_page("pages/similarity/page.py").run()
    assert not app.exception
    assert not app.error
    assert any("no table of two attributes" in info.value for info in app.info)
    assert "pair_first" not in [box.key for box in app.selectbox]
