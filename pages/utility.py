import streamlit as st

from pages.components import jobs, judging
from pages.components.layout import Zone, header, need_codebook, need_result, next_step
from pages.components.messages import guard
from pages.components.state import Basis, state
from pages.components.text import t

header("utility", zones=[Zone.STEWARD_ONLY])
known = state()
result = need_result()
codebook = need_codebook()
table = known.table
if table is None or result.basis is Basis.STAND_IN or table.basis is not result.basis:
    st.info(t("utility.no_table"), icon=":material/info:")
    st.page_link("pages/run.py", label=t("utility.to_run"), icon=":material/arrow_forward:")
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
            known.utility.job = jobs.start("utility", judging.comparison_work(table, result, codebook))
            st.rerun()
        if known.utility.job is not None:
            jobs.panel(known.utility.job, keep)
    else:
        judging.overall(found)
        judging.worst_pairs(found, known)
        judging.one_way(found, known)
        judging.dependences(found)
        judging.groups(found)
        judging.prediction(known, table, result, codebook)
next_step("utility", "compare")
