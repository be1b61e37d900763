import streamlit as st

from hmpb_core.publishing.zones import declared
from pages.ledger import panels
from pages.session.ledger import open_workspace, own_datasets
from pages.shared.downloads import download
from pages.shared.errors import guard
from pages.shared.layout import Zone, header, next_step
from pages.words.catalogue import plain, t

header("ledger", zones=[Zone.DECLARED])
with guard():
    workspace = open_workspace()
    datasets = own_datasets(workspace) if workspace else []
    if workspace is None or not datasets:
        st.info(t("ledger.empty"), icon=":material/info:")
    else:
        chosen = datasets[0]
        if len(datasets) > 1:
            by_id = {dataset.id: dataset for dataset in datasets}
            key = st.selectbox(
                t("ledger.choose"), list(by_id), format_func=lambda i: by_id[i].name, key="ledger_dataset"
            )
            chosen = by_id[key]
        entries = workspace.entries(chosen)
        panels.show_cap(chosen, entries)
        st.subheader(t("ledger.history"), anchor=False)
        st.dataframe(
            panels.history(entries),
            hide_index=True,
            column_config={plain("ledger.column.cost"): st.column_config.TextColumn(width="medium")},
            alt=t("ledger.history"),
            key="ledger_history",
        )
        st.subheader(t("ledger.check"), anchor=False)
        st.markdown(t("ledger.check_what"))
        with st.container(horizontal=True):
            asked = st.button(t("ledger.verify"), key="ledger_verify", icon=":material/fact_check:")
            download(
                t("ledger.export"),
                lambda: declared(panels.export_of(workspace, datasets)),
                "ledger.json",
                "application/json",
                key="ledger_export",
            )
        if asked:
            panels.show_faults(workspace)
next_step("ledger", "explain")
