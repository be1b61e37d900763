import streamlit as st

from hmpb_core.errors import HmpbError
from hmpb_core.planning.methods import METHOD_NAMES, PUBLISHED_ETA, Accounting, accountings_of
from hmpb_core.privacy.guarantee import Currency, Neighbors
from pages.plan import share_sliders
from pages.plan.panels import compare, forget_widgets, save_and_load, show_bill
from pages.plan.verdict import accuracy_first, show_verdict
from pages.session.plan_settings import EPSILONS
from pages.session.state import Basis, bound, reseed, state
from pages.shared.errors import guard, show_error
from pages.shared.layout import Zone, fold, header, need_codebook, next_step
from pages.words.catalogue import number, plain, t
from pages.words.guarantee import guarantee_words

DELTAS = tuple(range(5, 13))
# Keeps the consequences beside the sliders that are moved, wherever the page is scrolled to.
IN_SIGHT = """<style>
@media (min-width: 641px) {
  [data-testid="stColumn"]:has(.st-key-in_sight) { position: sticky; top: 4rem; align-self: flex-start; }
}
</style>"""


def promise():
    """How much may be learned about one person, at most."""
    st.subheader(t("plan.promise.title"), anchor=False)
    bound(
        st.select_slider,
        t("plan.promise.limit"),
        settings,
        "epsilon",
        options=sorted({*EPSILONS, settings.epsilon}),
        format_func=number,
        help=t("plan.promise.limit_help"),
    )
    st.caption(t("plan.promise.ends"))
    with guard():
        if settings.spec.protection == "none":
            st.warning(t("plan.promise.none"), icon=":material/money_off:")
        elif settings.published:
            st.warning(t("plan.promise.broken"), icon=":material/money_off:")
        else:
            st.markdown(guarantee_words(settings.guarantee))
    box = fold(t("plan.promise.more"), key="promise", icon=":material/gavel:")
    if not box.open:
        return
    with box:
        st.markdown(t("plan.promise.unit"))
        bound(
            st.radio,
            t("plan.promise.currency"),
            settings,
            "currency",
            options=list(Currency),
            format_func=lambda c: plain(f"plan.currency.{c}"),
            disabled=settings.published,
        )
        bound(
            st.select_slider,
            t("plan.promise.delta"),
            settings,
            "delta_digits",
            options=sorted({*DELTAS, settings.delta_digits}, reverse=True),
            format_func=lambda digits: f"1e-{digits}",
            disabled=settings.published or settings.currency is Currency.PURE,
            help=t("plan.promise.delta_help"),
        )
        bound(
            st.radio,
            t("plan.promise.neighbors"),
            settings,
            "neighbors",
            options=list(Neighbors),
            format_func=lambda n: plain(f"plan.neighbors.{n}"),
            disabled=settings.needs_replace_one,
        )
        if settings.needs_replace_one:
            st.caption(t("plan.promise.replace_one_only"))
        if settings.guarantee.neighbors is Neighbors.ADD_REMOVE and known.table.basis is Basis.PRIVATE:
            bound(
                st.number_input,
                t("plan.promise.rows"),
                settings,
                "declared_rows",
                min_value=2,
                step=1000,
                help=t("plan.promise.rows_help"),
            )


def method():
    """How it is made."""
    st.subheader(t("plan.how.title"), anchor=False)
    bound(
        st.selectbox,
        t("plan.how.method"),
        settings,
        "method",
        options=list(METHOD_NAMES),
        format_func=lambda m: plain(f"plan.method.{m}"),
    )
    st.caption(t(f"plan.method_help.{settings.method}"))
    if len(accountings_of(settings.method)) == 1:
        settings.accounting = Accounting.SOUND
        st.session_state.pop("w_accounting", None)
        return
    bound(
        st.radio,
        t("plan.how.accounting"),
        settings,
        "accounting",
        options=list(Accounting),
        format_func=lambda p: plain(f"plan.accounting.{p}"),
    )
    st.caption(t(f"plan.accounting_help.{settings.accounting}"))
    if settings.accounting is not before[1]:  # the accountings prune differently unless the steward says so
        settings.eta = PUBLISHED_ETA if settings.published else 0.0
        reseed("w_eta")


def structure():
    """Clusters, parents, weights."""
    columns = len(codebook.domain)
    left, right = st.columns(2)
    with left:
        number_of("clusters", 0, min(20, columns))
    with right:
        slider_of("gamma", -4.0, 4.0, 0.1)
    measures = ["auto", "tvd"]
    if settings.guarantee.neighbors is Neighbors.REPLACE_ONE:
        measures += ["mi", "mic"]
    if settings.similarity not in measures:
        settings.similarity = "auto"
        reseed("w_similarity")
    box = fold(t("plan.structure.further"), key="structure", icon=":material/more_horiz:")
    if not box.open:
        return
    with box:
        left, right = st.columns(2)
        with left:
            number_of("max_parents", 0, 8)
            number_of("vectors", 0, min(20, columns))
        with right:
            slider_of("eta", 0.0, 1.0, 0.05)
            slider_of("sigma", 0.1, 2.0, 0.05)
        bound(
            st.radio,
            t("plan.structure.similarity"),
            settings,
            "similarity",
            options=measures,
            format_func=lambda m: plain(f"plan.measure.{m}"),
            disabled=settings.published,
        )
        number_of("rows", 0, 10_000_000)
        if settings.weights:
            st.caption(t("plan.structure.manual", n=len(settings.weights)))


def number_of(name, low, high):
    """A whole number of the plan."""
    setattr(settings, name, min(max(getattr(settings, name), low), high))
    bound(
        st.number_input,
        t(f"plan.structure.{name}"),
        settings,
        name,
        min_value=low,
        max_value=high,
        step=1,
        help=t(f"plan.structure_help.{name}"),
    )


def slider_of(name, low, high, step):
    """A number of the plan."""
    value = getattr(settings, name)
    bound(
        st.slider,
        t(f"plan.structure.{name}"),
        settings,
        name,
        min_value=min(low, value),
        max_value=max(high, value),
        step=step,
        help=t(f"plan.structure_help.{name}"),
    )


def shares(changed):
    """How the budget is shared among the stages."""
    st.subheader(t("plan.shares.title"), anchor=False)
    st.markdown(t("plan.shares.what"))
    if settings.automatic and changed:
        settings.recommend(codebook.domain, known.public_rows)
    share_sliders.seed(settings, anew=changed and settings.automatic)
    with st.container(horizontal=True):
        st.button(t("plan.shares.recommended"), key="preset_recommended", on_click=recommend)
        st.button(t("plan.shares.paper"), key="preset_paper", on_click=papers_split)
    share_sliders.draw(settings)


def recommend():
    """Take the recommended shares."""
    settings.recommend(codebook.domain, known.public_rows)
    share_sliders.seed(settings, anew=True)


def papers_split():
    """Take the paper's split."""
    domain = settings.plan().encoded_domain(codebook.domain)
    settings.take_papers_split(domain)
    share_sliders.seed(settings, anew=True)


header("plan", zones=[Zone.DECLARED])
known = state()
codebook = need_codebook()
settings = known.settings
before = (settings.method, settings.accounting, settings.clusters)
choices, consequences = st.columns(2, gap="large")
with choices:
    promise()
    method()
    structure()  # before the shares: the recommended ones depend on it
    shares(changed=before != (settings.method, settings.accounting, settings.clusters))
try:
    plan = settings.plan()
except HmpbError as error:
    show_error(error)
    st.stop()
with consequences, st.container(key="in_sight"):
    st.html(IN_SIGHT)
    st.subheader(t("plan.bill.title"), anchor=False)
    show_bill(plan, codebook)
    st.subheader(t("plan.verdict.title"), anchor=False)
    with guard():
        show_verdict(plan, codebook, known.public_rows)
        accuracy_first(settings, plan, codebook, known.public_rows)
st.subheader(t("plan.file.title"), anchor=False)
with guard():
    if save_and_load(known, plan, codebook):
        forget_widgets()
        st.rerun()
st.subheader(t("plan.compare.title"), anchor=False)
compare(known, codebook)
next_step("plan", "run")
