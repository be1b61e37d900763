"""The dashboard's entry script: the page's frame, the login gate and the way to the pages."""

import streamlit as st

from pages.navigation import navigate
from pages.session.login import require_login
from pages.session.state import state
from pages.shared.errors import guard
from pages.shared.page_list import DEFAULT_PAGE
from pages.shared.palette import follow_theme
from pages.tour.strip import strip
from pages.words.assets import favicon

st.set_page_config(page_title="HMPrivBayes", page_icon=favicon(), layout="wide")
require_login()
with guard():
    session = state()
    page = navigate(session)
    name = page.url_path or DEFAULT_PAGE
    session.enter(name)
    strip(session, name)
    page.run()
    follow_theme()
