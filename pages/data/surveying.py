"""The paid survey on the page Data: what it costs, the spending, and what it found."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from hmpb_core.progress import Progress
from hmpb_core.publishing.findings import findings_of
from hmpb_core.publishing.survey import SurveyCommit, about, carry_out_survey, prepare_survey, surveyed
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import Zone
from hmpb_core.survey.wording import is_by_name
from hmpb_core.utility.charts import short
from pages.data.drafts import apply_draft, published
from pages.session import jobs
from pages.session.choices import Surveyed
from pages.session.login import who
from pages.session.state import AppState, Basis, Table
from pages.session.widgets import bound
from pages.shared.errors import guard
from pages.shared.job_panel import job_panel
from pages.shared.layout import fold, zone_badge
from pages.shared.registration import registered, registration
from pages.words.catalogue import LONGEST, NAMED, Markdown, left_of_cap, listed, names_listed, number, t
from pages.words.errors import sentence

LEAST_EPSILON, MOST_EPSILON = 0.001, 10.0


def draw_survey(session: AppState, table: Table) -> None:
    """Offer a survey of what is still open or guessed, show one that runs, and take what it found."""
    data = session.data
    if table.basis is not Basis.PRIVATE:
        return
    if data.survey is not None:
        if data.survey.kept:
            if data.survey.active:
                st.markdown(t("data.survey.running"))
            job_panel(data.survey, lambda found: _take(session, found))
        if data.survey.active:
            return
    if data.surveyed is not None:
        _outcome(data.surveyed)
    names = surveyed(published(session.draft)["fields"])
    if not names:
        return
    box = fold(t("data.survey.title"), key="survey", icon=":material/payments:")
    if not box.open:
        return
    with box, guard():
        zone_badge(Zone.DP)
        st.markdown(t("data.survey.what", n=len(names), names=names_listed(names, NAMED)))
        found = registered(session, table)
        if found is None:
            st.markdown(t("data.survey.register"))
            registration(session, table, None)
            return
        _take_over(session, table, found[0], names)
        _offer(session, table, found[0])


def draw_put_away(session: AppState) -> None:
    """Show a survey that goes on, or has ended, after its table was put away."""
    job = session.data.survey
    if job is None or job.kept:
        return
    if job.active:
        st.markdown(t("data.survey.running_before"))
    elif job.state is jobs.JobState.DONE:
        st.markdown(t("data.survey.made_before"))
    job_panel(job, lambda _: None)


def _take_over(session: AppState, table: Table, workspace: Workspace, names: list[str]) -> None:
    """Offer what an earlier survey found: it is paid for, also after the page was left."""
    bought = session.view("findings", lambda: findings_of(workspace, table.private))
    known = {name: field for name, field in bought.items() if name in names}
    if not known:
        return
    st.info(
        t("data.survey.known", n=len(known), names=names_listed(known, NAMED)),
        icon=":material/history:",
    )
    if st.button(
        t("data.survey.take_over", n=len(known)), key="survey_known", icon=":material/download_done:"
    ):
        fields = [known.get(entry.get("name", ""), entry) for entry in session.draft["fields"]]
        apply_draft(session, {**session.draft, "fields": fields})
        st.rerun()


def _offer(session: AppState, table: Table, workspace: Workspace) -> None:
    bound(
        st.number_input,
        t("data.survey.epsilon"),
        session.data,
        "survey_epsilon",
        key="survey_epsilon",
        min_value=LEAST_EPSILON,
        max_value=MOST_EPSILON,
        step=0.05,
        format="%g",
        help=t("data.survey.epsilon_help"),
        width=320,
    )
    commit = prepare_survey(
        table.private, published(session.draft), workspace, epsilon=session.data.survey_epsilon
    )
    before = commit.before
    st.markdown(
        t(
            "data.survey.price",
            name=before.name,
            unit=sentence(before.unit.words),
            left=left_of_cap(before.left_for(commit.guarantee)),
            cap=number(float(before.cap_epsilon)),
            after=left_of_cap(commit.after.left_for(commit.guarantee)),
        )
    )
    if commit.guarantee.delta > 0:  # what is left falls by less than the charge: without the reason, puzzling
        st.caption(t("run.commit.left_rho"))
    if commit.shared_by is None:
        st.caption(t("data.survey.no_texts"))
    else:
        price = commit.enough
        key = "too_few" if commit.hides_texts else "shared_by"
        said = t(f"data.survey.{key}", n=number(commit.shared_by))
        if price is not None:
            said = Markdown(f"{said} {t('data.survey.enough', epsilon=number(price))}")
        if commit.hides_texts or price is not None:
            st.warning(said, icon=":material/visibility_off:")
        else:
            st.caption(said)
    st.warning(t("data.survey.undone"), icon=":material/gavel:")
    if st.button(
        t("data.survey.go", epsilon=number(commit.guarantee.epsilon)),
        key="survey_go",
        type="primary",
        icon=":material/payments:",
    ):
        session.data.surveyed = None
        session.data.survey = jobs.start("survey", _work(commit, workspace, who()), charges=True)
        st.rerun()


def _work(commit: SurveyCommit, workspace: Workspace, person: str | None) -> Callable[[Progress], Surveyed]:
    """Give the work of a survey; its charge stays if it is stopped."""

    def work(progress: Progress) -> Surveyed:
        schema, charge, other = carry_out_survey(commit, workspace, who=person, progress=progress)
        paid = {"kind": "survey", "entry": charge.number}
        found = {f["name"]: f for f in schema["fields"] if f.get("source") == paid}
        rest = [f for f in schema["fields"] if f["name"] in commit.columns and f["name"] not in found]
        hidden = tuple(f["name"] for f in rest if not is_by_name(f))
        return Surveyed(fields=found, hidden=hidden, mostly_other=other, entry=charge.number)

    return work


def _take(session: AppState, found: Surveyed) -> None:
    """Write into the codebook what was bought, where nobody has said something better meanwhile."""
    session.data.survey, session.data.surveyed = None, found
    still = set(surveyed(published(session.draft)["fields"]))
    fields = [
        found.fields.get(entry.get("name", ""), entry) if entry.get("name") in still else entry
        for entry in session.draft["fields"]
    ]
    apply_draft(session, {**session.draft, "fields": fields})
    st.rerun()


def _outcome(found: Surveyed) -> None:
    if found.fields:
        st.success(
            t(
                "data.survey.found",
                n=len(found.fields),
                names=names_listed(found.fields, NAMED),
                entry=found.entry,
            ),
            icon=":material/task_alt:",
        )
    if found.mostly_other:
        shares = [f"{short(name, LONGEST)} ({about(share)})" for name, share in found.mostly_other.items()]
        st.warning(t("data.survey.mostly_other", names=listed(shares, NAMED)), icon=":material/more_horiz:")
    if found.hidden:
        st.info(
            t("data.survey.hidden", n=len(found.hidden), names=names_listed(found.hidden, NAMED)),
            icon=":material/blur_on:",
        )
