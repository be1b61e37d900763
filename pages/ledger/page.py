"""Ledger: what was registered, charged and released."""

from collections.abc import Sequence

import streamlit as st

from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.receipts import receipt_of
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import Zone, declared
from pages.ledger import panels
from pages.session.ledger import open_workspace, own_datasets
from pages.session.state import AppState, state
from pages.shared.downloads import download
from pages.shared.errors import guard
from pages.shared.layout import header, next_step
from pages.words.catalogue import plain, t


def page(session: AppState) -> None:
    """Show how one data set stands, what happened to it, and whether the chain holds."""
    header("ledger", zones=[Zone.DECLARED])
    with guard():
        workspace = open_workspace()
        datasets = own_datasets(workspace) if workspace else []
        if workspace is None or not datasets:
            st.info(t("ledger.empty"), icon=":material/info:")
        else:
            history(workspace, chosen(datasets, session.dataset))
            check(workspace, datasets)
    next_step("ledger", "explain")


def chosen(datasets: Sequence[RegisteredDataset], own: str) -> RegisteredDataset:
    """Let the steward choose a data set, where there are several; first the table's own.

    Args:
        datasets: The data sets.
        own: Identifier of that of the table at hand, where a page has recognised it already.
    """
    if len(datasets) == 1:
        return datasets[0]
    by_id = {dataset.id: dataset for dataset in datasets}
    key = st.selectbox(
        t("ledger.choose"),
        list(by_id),
        index=list(by_id).index(own) if own in by_id else 0,
        format_func=lambda i: by_id[i].name,
        key="ledger_dataset",
    )
    return by_id[key]


def history(workspace: Workspace, dataset: RegisteredDataset) -> None:
    """The cap, and every entry of the data set."""
    entries = workspace.entries(dataset)
    panels.show_cap(dataset, entries)
    st.header(t("ledger.history"), anchor=False)
    st.dataframe(
        panels.history(entries),
        hide_index=True,
        column_config={plain("ledger.column.cost"): st.column_config.TextColumn(width="medium")},
        alt=t("ledger.history"),
        key="ledger_history",
    )


def check(workspace: Workspace, datasets: Sequence[RegisteredDataset]) -> None:
    """Recompute the chain on request, and whenever a receipt is given; the ledger as a file."""
    st.header(t("ledger.check"), anchor=False)
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
    entries = workspace.entries()
    st.caption(t("ledger.receipt"))
    st.code(receipt_of(entries[-1]), language=None, wrap_lines=True)
    receipts = panels.receipts_given()
    if asked or receipts is not None:
        panels.show_faults(workspace, receipts)


page(state())
