"""What only the steward knows about a release: a form, whose answers go into the bundle."""

from __future__ import annotations

import streamlit as st

from hmpb_core.errors import HmpbError
from hmpb_core.publishing.answers import HAZARDS, QUESTIONS, UNANSWERED, VERDICTS, Answers, Judgement
from hmpb_core.publishing.zones import declared
from pages.session.state import AppState
from pages.session.widgets import choosing
from pages.shared.downloads import download
from pages.shared.errors import show_error
from pages.words.catalogue import plain, t

UPLOAD = "answers_file"
ERROR = "answers_error"


def answers_form(session: AppState) -> Answers:
    """Ask for the facts and the judgements; nothing is filled in, and nothing must be."""
    # its label never changes: another label is another box, which would be closed again by every answer
    with st.expander(t("run.answers.title"), icon=":material/edit_note:"):
        st.markdown(t("run.answers.what"))
        st.file_uploader(
            t("run.answers.file"), type=["toml"], key=UPLOAD, on_change=_take_file, args=(session,)
        )
        if ERROR in session.views:
            show_error(session.views[ERROR])
        facts = {
            name: st.text_area(
                t(f"run.answers.{name}"),
                value=getattr(session.answers, name),
                key=f"answer_{name}",
                height=68,
                max_chars=2000,
            )
            for name in QUESTIONS
        }
        st.markdown(t("run.answers.hazards"))
        hazards = {key: found for key in HAZARDS if (found := _judgement(session.answers, key)) is not None}
        session.answers = Answers(**facts, hazards=hazards)
        download(
            t("run.answers.download"),
            lambda: declared(session.answers.to_toml()),
            "answers.toml",
            "application/toml",
            key="answers_download",
        )
    missing = len(session.answers.missing)
    st.caption(t("run.answers.open", n=missing) if missing else t("run.answers.none_open"))
    return session.answers


def _judgement(answers: Answers, key: str) -> Judgement | None:
    verdict, words = answers.judged(key)
    options = [UNANSWERED, *VERDICTS]
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    chosen = choosing(
        left.selectbox,
        t(f"run.answers.{key}"),
        options,
        first=options.index(verdict),
        format_func=lambda v: plain(f"run.verdict.{v.replace(' ', '_')}"),
        key=f"answer_{key}",
    )
    why = right.text_input(t("run.answers.words"), value=words, key=f"answer_{key}_words", max_chars=2000)
    return None if chosen == UNANSWERED else Judgement(chosen, why)


def _take_file(session: AppState) -> None:
    """Take the answers of an earlier release; the widgets show them on the next run."""
    file = st.session_state.get(UPLOAD)
    if file is None:
        return
    session.views.pop(ERROR, None)
    try:
        session.answers = Answers.from_toml(file.getvalue().decode("utf-8-sig", "replace"))
    except HmpbError as error:
        session.views[ERROR] = error
        return
    for name in QUESTIONS:
        st.session_state[f"answer_{name}"] = getattr(session.answers, name)
    for key in HAZARDS:
        verdict, words = session.answers.judged(key)
        st.session_state[f"answer_{key}"] = verdict
        st.session_state[f"answer_{key}_words"] = words
