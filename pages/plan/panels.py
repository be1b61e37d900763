"""What the Plan page shows beside its widgets: the bill, the plan as a file, two plans side by side."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError, InputError
from hmpb_core.planning.bill import Bill, bill_of_plan
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.budget import Stage
from hmpb_core.publishing.zones import Labelled
from pages.session.plan_settings import PlanSettings
from pages.session.state import AppState
from pages.shared.downloads import keep_inside
from pages.shared.layout import codebook_zone, fold, show_chart
from pages.shared.palette import palette
from pages.shared.parted_bar import parted_bar
from pages.words.catalogue import escape, listed, number, plain, sentences, t
from pages.words.errors import sentence
from pages.words.guarantee import delta_words, neighbors_words, total_words, unit_of


def show_bill(plan: Plan, codebook: Codebook) -> Bill:
    """Show what a plan truly costs: in words, by stage, by attribute."""
    bill = bill_of_plan(plan, domain=codebook.domain)
    st.markdown(total_words(bill, unit_of(plan)))
    for item in bill.unpaid:
        st.warning(t("plan.bill.unpaid", item=escape(sentence(item))), icon=":material/money_off:")
    if bill.total is None:
        return bill
    stages = bill.stages
    names = [plain(f"plan.stage.{stage}") for stage in stages]
    show_chart(
        parted_bar(names, list(stages.values()), palette()),
        pd.DataFrame(
            {
                plain("plan.bill.stage"): names,
                plain("plan.bill.share"): [float(share) for _, share in plan.shares.items()],
                plain("plan.bill.epsilon"): list(stages.values()),
            }
        ),
        caption=t("plan.bill.caption"),
        key="bill",
    )
    box = fold(t("plan.bill.attributes"), key="bill_attributes", icon=":material/person:")
    if box.open:
        said = [t("plan.bill.attributes_caption")]
        if plan.spec.weights == "risk" and "gamma" not in plan.spec.idle:
            said.append(t("plan.bill.attributes_weights"))
        box.caption(sentences(*said))
        table = pd.DataFrame(
            {
                plain("common.column.attribute"): list(bill.attributes),
                plain("plan.bill.at_most"): list(bill.attributes.values()),
                plain("data.column.sensitive"): [name in codebook.sensitive for name in bill.attributes],
            }
        )
        box.dataframe(table, hide_index=True, key="bill_attributes", alt=plain("plan.bill.attributes"))
    return bill


def save_and_load(session: AppState, plan: Plan, codebook: Codebook) -> bool:
    """Download the plan as a file, or take one; give whether one was given."""
    zone = codebook_zone(session)
    keep_inside(
        t("plan.file.save"),
        lambda: Labelled(value=PlanFile.of(plan, codebook).to_toml(), zone=zone),
        "plan.toml",
        "application/toml",
        key="plan_save",
        zone=zone,
        help_text=None if codebook.public else t("common.guessed"),
    )
    given = st.file_uploader(
        t("plan.file.load"), type=["toml"], key=f"plan_file_{session.uploads}", max_upload_size=1
    )
    if session.foreign_plan:
        st.warning(t("plan.file.other_codebook"), icon=":material/rule:")
    if session.refused_plan is not None:
        said, settings = session.refused_plan
        if session.settings == settings:  # else the steward has gone on, and what was refused is no matter
            st.error(escape(sentence(said)), icon=":material/error:")
    if given is None:
        return False
    session.uploads += 1
    text = given.getvalue().decode("utf-8", errors="replace")
    try:
        file = PlanFile.from_toml(text)
    except HmpbError as error:
        session.refused_plan = error.sentence, session.settings.copy()
        return True
    session.settings = PlanSettings.of(replace(file.plan, person=None, rows_per_person=1))  # as registered
    session.settings.fit(codebook.domain)
    session.foreign_plan = not file.is_for(codebook)
    return True


def compare(session: AppState, codebook: Codebook) -> None:
    """Show two plans side by side."""
    with st.container(horizontal=True):
        st.button(t("plan.compare.keep"), key="compare_keep", on_click=_keep, args=(session,))
        if session.second is not None:
            st.button(t("plan.compare.swap"), key="compare_swap", on_click=_swap, args=(session,))
            st.button(t("plan.compare.drop"), key="compare_drop", on_click=_drop, args=(session,))
    if session.second is None:
        st.caption(t("plan.compare.none"))
        return
    now, aside = describe(session, session.settings, codebook), describe(session, session.second, codebook)
    table = pd.DataFrame(
        {
            plain("plan.compare.what"): [plain(f"plan.compare.row.{name}") for name in now],
            plain("plan.compare.now"): list(now.values()),
            plain("plan.compare.aside"): [aside[name] for name in now],
            plain("plan.compare.differs"): [
                plain("plan.compare.yes") if now[name] != aside[name] else "" for name in now
            ],
        }
    )
    st.dataframe(table, hide_index=True, key="compare", alt=plain("plan.compare.title"), height="content")


ROWS_OF = {"max_parents": "parents", "n_vectors": "vectors"}
"""Fields of a plan whose row has another name."""


def describe(session: AppState, settings: PlanSettings, codebook: Codebook) -> dict[str, str]:
    """Say what a plan chooses and costs, by name."""
    try:
        plan = session.plan_of(settings)
        bill = bill_of_plan(plan, domain=codebook.domain)
    except InputError as error:
        return {"cost": sentence(error)}
    losses = [loss for loss in bill.attributes.values() if loss is not None]
    auto, unused = plain("plan.auto"), plain("plan.compare.unused")
    told = {
        "limit": number(plan.guarantee.epsilon),
        "delta": delta_words(plan.guarantee),
        "neighbors": neighbors_words(plan.guarantee.neighbors, unit_of(plan)),
        "method": plain(f"methods.{plan.method}.title"),
        "accounting": plain(f"plan.accounting.{plan.accounting}"),
        "learner": plain(f"learners.{plan.spec.learner}.name"),
        **{f"share_{stage.field}": number(float(share)) for stage, share in plan.shares.items()},
        "clusters": str(plan.clusters or auto),
        "parents": str(plan.most_parents or auto),
        "eta": number(plan.eta),
        "sigma": number(plan.sigma),
        "measure": plain(f"plan.measure.{plan.similarity}"),
        "vectors": str(plan.n_vectors or auto),
        "gamma": number(plan.gamma),
        "weights": listed(f"{name} {number(weight)}" for name, weight in sorted(plan.weights.items()))
        or plain("plan.compare.by_hand"),
        "rows": number(plan.rows) if plan.rows else plain("plan.compare.as_table"),
        "target": plan.target or plain("plan.how.alike"),
        "cost": plain("plan.compare.no_cost") if bill.total is None else number(bill.total, 4),
        "worst": plain("plan.compare.no_cost") if not losses else number(max(losses), 4),
    }
    idle = {ROWS_OF.get(name, name) for name in plan.spec.idle}
    idle |= {"weights"} if "gamma" in idle else set()
    idle |= {"measure"} if plan.spec.measure is None else set()
    idle |= {f"share_{stage.field}" for stage in Stage if stage not in settings.stages}
    idle |= set() if plan.spec.classifies or plan.spec.favours else {"target"}
    if not settings.protected:
        idle |= {"limit", "delta", "neighbors", *(f"share_{stage.field}" for stage in Stage)}
    return {name: unused if name in idle else text for name, text in told.items()}


def _keep(session: AppState) -> None:
    session.second = session.settings.copy()


def _swap(session: AppState) -> None:
    if session.second is not None:
        session.settings, session.second = session.second, session.settings


def _drop(session: AppState) -> None:
    session.second = None
