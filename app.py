"""The dashboard's entry script: the page's frame, the login gate and the way to the pages."""

import streamlit as st

from pages.components.assets import favicon
from pages.components.login import require_login
from pages.components.messages import guard
from pages.components.shell import DEFAULT_PAGE, navigate
from pages.components.touring import strip

st.set_page_config(page_title="HMPrivBayes", page_icon=favicon(), layout="wide")
require_login()
with guard():
    page = navigate()
    strip(page.url_path or DEFAULT_PAGE)
    page.run()
