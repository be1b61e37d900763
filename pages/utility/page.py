import streamlit as st

from pages.session import jobs
from pages.session.state import Basis, state
from pages.shared.errors import guard
from pages.shared.layout import Zone, header, need_codebook, need_result, next_step
from pages.utility import panels
from pages.words.catalogue import t

header("utility", zones=[Zone.STEWARD_ONLY])
known = state()
result = need_result()
codebook = need_codebook()
table = known.table
if table is None or result.basis is Basis.STAND_IN or table.basis is not result.basis:
    st.info(t("utility.no_table"), icon=":material/info:")
    st.page_link("pages/run/page.py", label=t("utility.to_run"), icon=":material/arrow_forward:")
    st.stop()
if result.basis is Basis.PRIVATE:
    st.warning(t("utility.keep_inside"), icon=":material/lock:")


def keep(found):
    """Keep the comparison with the result it belongs to."""
    known.views["comparison"] = found
    known.utility.job = None
    st.rerun()


with guard():
    found = known.views.get("comparison")
    if found is None:
        busy = known.utility.job is not None and known.utility.job.active
        if st.button(t("utility.go"), type="primary", disabled=busy, key="utility_go"):
            known.utility.job = jobs.start("utility", panels.comparison_work(table, result, codebook))
            st.rerun()
        if known.utility.job is not None:
            jobs.panel(known.utility.job, keep)
    else:
        panels.overall(found)
        panels.worst_pairs(found, known)
        panels.one_way(found, known)
        panels.dependences(found)
        panels.groups(found)
        panels.prediction(known, table, result, codebook)
next_step("utility", "compare")
