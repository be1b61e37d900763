"""Plan: the guarantee and every stage's share."""

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError
from hmpb_core.planning.plan import Plan
from pages.plan import choices
from pages.plan.panels import compare, save_and_load, show_bill
from pages.plan.share_sliders import share_panel
from pages.plan.verdict import accuracy_first, show_verdict
from pages.session.ledger import registered_as
from pages.session.state import AppState, state
from pages.shared.errors import guard, show_error
from pages.shared.layout import codebook_zone, header, need_codebook, next_step
from pages.shared.registration import show_cap
from pages.words.catalogue import t

# Keeps the consequences beside the sliders that are moved, wherever the page is scrolled to; and breaks the
# locks' labels, which Streamlit cuts, where the window is too narrow for them.
IN_SIGHT = """<style>
@media (min-width: 641px) {
  [data-testid="stColumn"]:has(.st-key-in_sight) { position: sticky; top: 4rem; align-self: flex-start; }
}
[class*="st-key-lock_"] :is([data-testid="stMarkdownContainer"], p) { white-space: normal; }
</style>"""


def page(session: AppState) -> None:
    """Choose on the left, see what it costs and leaves on the right; keep it as a file, compare it."""
    header("plan", zones=[codebook_zone(session)])
    codebook = need_codebook(session)
    left, right = st.columns(2, gap="large")
    with left:
        choices.promise(session)
        choices.method(session.settings, codebook)
        choices.structure(session.settings, codebook)
        share_panel(session, codebook)
    try:
        plan = session.plan
    except HmpbError as error:
        show_error(error)
        st.stop()
    with right, st.container(key="in_sight"):
        consequences(session, plan, codebook)
    st.header(t("plan.file.title"), anchor=False)
    with guard():
        if save_and_load(session, plan, codebook):
            st.rerun()
    st.header(t("plan.compare.title"), anchor=False)
    compare(session, codebook)
    next_step("plan", "run")


def consequences(session: AppState, plan: Plan, codebook: Codebook) -> None:
    """What the plan costs, and what its noise leaves."""
    st.html(IN_SIGHT)
    st.header(t("plan.bill.title"), anchor=False)
    show_bill(plan, codebook)
    with guard():
        show_cap(session, registered_as(session.dataset), plan)
    st.header(t("plan.verdict.title"), anchor=False)
    with guard():
        show_verdict(plan, codebook, session.public_rows, rows_from=session.rows_from)
        accuracy_first(session, plan, codebook)


page(state())
