"""The dashboard's entry script: the page's frame, the login gate and the way to the pages."""

import streamlit as st

from pages.navigation import DEFAULT_PAGE, navigate
from pages.session.login import require_login
from pages.shared.errors import guard
from pages.tour.strip import strip
from pages.words.assets import favicon

st.set_page_config(page_title="HMPrivBayes", page_icon=favicon(), layout="wide")
require_login()
with guard():
    page = navigate()
    strip(page.url_path or DEFAULT_PAGE)
    page.run()
