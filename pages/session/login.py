"""The login gate: open on one's own computer, OpenID Connect where ``secrets.toml`` has ``[auth]``."""

from __future__ import annotations

import streamlit as st

from pages.words.catalogue import t


def has_login() -> bool:
    """Whether this server asks people to log in."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def require_login() -> None:
    """Stop here until the steward has logged in, where the server asks for it."""
    if not has_login() or st.user.is_logged_in:
        return
    st.title(t("common.app"))
    st.markdown(t("common.login.why"))
    st.button(t("common.login.button"), on_click=st.login, type="primary")
    st.stop()


def who() -> str | None:
    """Name of the steward who logged in; None where nobody has to."""
    if not has_login() or not st.user.is_logged_in:
        return None
    return str(st.user.get("email") or st.user.get("name") or "") or None
